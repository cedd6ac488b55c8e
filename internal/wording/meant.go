package wording

import "strings"

// DidYouMean returns "; did you mean NAME" for the known name that is most like an unknown one, or "" if none is.
func DidYouMean(name string, known []string) string {
	limit := len(name)/3 + 1
	best, least := "", limit+1
	for _, k := range known {
		n := edits(strings.ToLower(name), strings.ToLower(k))
		if n > limit && len(name) > 2 && (strings.Contains(k, name) || strings.Contains(name, k)) {
			n = limit // a part of a name means that name
		}
		if n < least {
			best, least = k, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best
}

// edits returns how many letters must be added, removed, exchanged or swapped with the next to make b of a.
func edits(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
