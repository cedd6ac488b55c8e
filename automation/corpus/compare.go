package corpus

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Seen is what a person can read on a page, as seen.js finds it.
type Seen struct {
	// Runs are the texts that are seen, in the order of the document.
	Runs []Run `json:"runs"`
	// Names are texts that aren't seen, but that may be an element's name.
	Names []string `json:"names"`
	// Hidden are texts that aren't rendered.
	Hidden []string `json:"hidden"`
	// InnerText is the browser's own account of the page, which seen.js is held against.
	InnerText string `json:"innerText"`
}

// Run is the text of one node, or what a field holds.
type Run struct {
	Text string `json:"text"`
	// Glued says that nothing separates the run from the one before it.
	Glued bool `json:"glued"`
}

// Missed are words of the browser's innerText that seen.js found nowhere, neither seen nor left out.
func (s Seen) Missed() (missed []string) {
	known := map[string]bool{}
	for _, r := range slices.Concat(texts(s.Runs), s.Names, s.Hidden) {
		for _, w := range words(fold(r)) {
			known[w] = true
		}
	}
	for _, w := range words(joined(s.Runs)) {
		known[w] = true
	}
	together := strings.Join(words(joined(s.Runs)), "") // as innerText has cells of one row
	for _, w := range words(fold(s.InnerText)) {
		if !known[w] && !strings.Contains(together, w) {
			missed = append(missed, w)
		}
	}
	return missed
}

func texts(runs []Run) (all []string) {
	for _, r := range runs {
		all = append(all, r.Text)
	}
	return all
}

// joined returns runs as one text.
func joined(runs []Run) string {
	var all strings.Builder
	for _, r := range runs {
		if !r.Glued {
			all.WriteByte(' ')
		}
		all.WriteString(fold(r.Text))
	}
	return all.String()
}

// Difference is how a snapshot differs from what is seen.
type Difference struct {
	Lost     []string // runs that are seen and not shown, as often as that is so; mere separators don't count
	Invented []string // shown texts with words, or hidden texts, that the page shows nobody
}

// Compare compares the texts that a snapshot shows with what is seen. It ignores case, which CSS changes, and where
// texts are separated.
func Compare(seen Seen, shown []string) Difference {
	return Difference{Lost: lost(seen.Runs, newPile(shown)), Invented: invented(seen, shown)}
}

// fold makes texts that read alike equal.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r == 0x2060, r == 0xfeff, r == 0xad, r >= 0xe000 && r <= 0xf8ff:
			return -1
		case r >= 0x1d400 && r <= 0x1d6a3: // letters as CSS shows them in formulas
			r = rune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1d400)%52])
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// separators part texts that a snapshot parts by lines and quotes.
const separators = "|/·•,;:.()[]‹›«»<>-–—… "

// lost gives the runs that aren't shown. The longest are looked for first, so that a short one
// doesn't take a part of a text that a longer one needs. What one has found is no longer there for the others.
func lost(runs []Run, all pile) []string {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	glued := func(i int) int { // a run that is a part of a word may not take the place of one that isn't
		if runs[i].Glued || i+1 < len(runs) && runs[i+1].Glued {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(runs[b].Text), len(runs[a].Text)), cmp.Compare(glued(a), glued(b)))
	})
	missing := make([]bool, len(runs))
	for _, i := range order {
		missing[i] = !all.take(fold(runs[i].Text), runs[i].Glued, i+1 < len(runs) && runs[i+1].Glued)
	}
	var found []string
	for i, r := range runs {
		if missing[i] && strings.Trim(r.Text, separators) != "" {
			found = append(found, r.Text)
		}
	}
	return found
}

// pile has the texts from which runs are taken, with an edge before and after each.
type pile []byte

// edge parts texts, and taken stands where a run was. Neither is in a page.
const edge, taken = '\x01', '\x00'

func newPile(texts []string) pile {
	p := pile{edge}
	for _, t := range texts {
		p = append(append(p, fold(t)...), edge)
	}
	return p
}

// take takes a text away where it stands as words of its own, alone if there is such a place; before
// and after say that it may also be a part of a word.
func (p pile) take(text string, before, after bool) bool {
	if at := bytes.Index(p, []byte(string(edge)+text+string(edge))); at >= 0 {
		p.drop(at+1, len(text))
		return true
	}
	for from := 0; ; {
		at := bytes.Index(p[from:], []byte(text))
		if at < 0 {
			return false
		}
		at += from
		if (before || parted(p[:at], text)) && (after || parted(text, p[at+len(text):])) {
			p.drop(at, len(text))
			return true
		}
		_, size := utf8.DecodeRune(p[at:])
		from = at + size
	}
}

func (p pile) drop(at, size int) {
	for i := range size {
		p[at+i] = taken
	}
}

// parted says that a word ends where a text follows another.
func parted[A, B ~string | ~[]byte](a A, b B) bool {
	last, _ := utf8.DecodeLastRuneInString(string(a[max(0, len(a)-utf8.UTFMax):]))
	first, _ := utf8.DecodeRuneInString(string(b[:min(len(b), utf8.UTFMax)]))
	return !inWord(last) || !inWord(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// invented gives the shown texts that have words the page has nowhere, and those with a hidden text.
func invented(seen Seen, shown []string) []string {
	known, readable := map[string]bool{}, []string{joined(seen.Runs)}
	for _, t := range slices.Concat(texts(seen.Runs), seen.Names) {
		readable = append(readable, fold(t))
	}
	for _, t := range readable {
		for _, w := range words(t) {
			known[w] = true
		}
	}
	var found []string
	for _, s := range shown {
		if strange(fold(s), known) || tells(fold(s), seen.Hidden, readable) {
			found = append(found, s)
		}
	}
	return found
}

func words(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) }) }

// strange says that a text has an unknown word. One that was cut short may begin a known one.
func strange(text string, known map[string]bool) bool {
	cut := strings.HasSuffix(text, "…")
	all := words(text)
	for i, w := range all {
		if !known[w] && !(cut && i == len(all)-1) {
			return true
		}
	}
	return false
}

// tells says that a text has a hidden one in it that can't be read elsewhere.
func tells(text string, hidden, readable []string) bool {
	for _, h := range hidden {
		h = fold(h)
		if !has(text, h) || len(words(h)) == 0 {
			continue
		}
		if !slices.ContainsFunc(readable, func(r string) bool { return has(r, h) }) {
			return true
		}
	}
	return false
}

// has says that a text has another as words of its own.
func has(text, other string) bool { return newPile([]string{text}).take(other, false, false) }
