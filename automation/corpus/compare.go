package corpus

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Seen is the text that a person can read on a page, as seen.js finds it.
type Seen struct {
	// Runs are the texts that a person sees, in the order of the document.
	Runs []Run `json:"runs"`
	// Names are texts that nobody sees, but that may be an element's name.
	Names []string `json:"names"`
	// Hidden are texts that aren't rendered.
	Hidden []string `json:"hidden"`
	// InnerText is the page's innerText, with which a test compares what seen.js found.
	InnerText string `json:"innerText"`
}

// Run is the text of one node, or the value of a field.
type Run struct {
	Text string `json:"text"`
	// Glued says that nothing separates the run from the one before it.
	Glued bool `json:"glued"`
}

// Missed returns the words of the browser's innerText that seen.js didn't find at all, neither seen nor unseen.
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
	together := strings.Join(words(joined(s.Runs)), "") // innerText has the cells of one row like this
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

// Difference describes how a snapshot differs from what a person sees.
type Difference struct {
	Lost     []string // seen runs that the snapshot lacks, once for each time; runs of only separators don't count
	Invented []string // texts of the snapshot with words, or hidden texts, that nobody sees on the page
}

// Compare compares the texts that a snapshot shows with what a person sees. It ignores case, which CSS changes, and
// where texts are separated.
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

// separators are characters between texts that a snapshot separates by lines and quotes.
const separators = "|/·•,;:.()[]‹›«»<>-–—… "

// lost returns the runs that all lacks. It looks for the longest first, so that a short one doesn't take a part of a
// text that a longer one needs. Each run takes its text out of all, so that no other run finds it.
func lost(runs []Run, all pile) []string {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	glued := func(i int) int { // whole words take their places before parts of words
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

// pile has the texts from which [pile.take] takes runs, with an edge before and after each.
type pile []byte

// edge separates texts, and taken replaces the bytes of a run that was taken. No page contains them.
const edge, taken = '\x01', '\x00'

func newPile(texts []string) pile {
	p := pile{edge}
	for _, t := range texts {
		p = append(append(p, fold(t)...), edge)
	}
	return p
}

// take takes a text out of the pile where it stands between word boundaries, preferably a whole text of the pile.
// before and after say that there need be no boundary before or after the text.
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

// parted reports whether there is a word boundary between two adjacent texts.
func parted[A, B ~string | ~[]byte](a A, b B) bool {
	last, _ := utf8.DecodeLastRuneInString(string(a[max(0, len(a)-utf8.UTFMax):]))
	first, _ := utf8.DecodeRuneInString(string(b[:min(len(b), utf8.UTFMax)]))
	return !inWord(last) || !inWord(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// invented returns the shown texts that have words which the page has nowhere, or that contain a hidden text.
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

// strange reports whether a text has an unknown word. The last word of a text that was cut off doesn't count.
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

// tells reports whether a text contains a hidden text that nobody can read elsewhere.
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

// has reports whether a text contains another between word boundaries.
func has(text, other string) bool { return newPile([]string{text}).take(other, false, false) }
