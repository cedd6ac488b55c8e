package wording

import (
	"strings"

	"webmcphub/registry/find"
)

// DidYouMean returns "; did you mean NAME" for the known name that is most like an unknown one, or "" if none is.
func DidYouMean(name string, known []string) string {
	limit := len(name)/3 + 1
	best, least := "", limit+1
	for _, k := range known {
		n := find.Distance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k)), limit)
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
