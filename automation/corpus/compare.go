package corpus

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Seen is what a person can read on a page, as seen.js finds it.
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

// A Run is the text of one node, or what a field holds.
type Run struct {
	Text string `json:"text"`
	// Glued says that nothing separates the run from the one before it.
	Glued bool `json:"glued"`
}

// A Difference is how a snapshot differs from what is seen.
type Difference struct {
	Lost     []string // runs that are seen and not shown, as often as that is so; mere separators don't count
	Invented []string // shown texts with words, or hidden texts, that the page shows nobody
}

// Compare holds the texts that a snapshot shows against what is seen. Case doesn't count, since
// CSS changes it, nor how texts are parted.
func Compare(seen Seen, shown []string) Difference {
	all := pile{whole: map[string][]int{}}
	for i, s := range shown {
		all.texts = append(all.texts, fold(s))
		all.whole[all.texts[i]] = append(all.whole[all.texts[i]], i)
	}
	return Difference{Lost: lost(seen.Runs, &all), Invented: invented(seen, shown)}
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
func lost(runs []Run, all *pile) []string {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(runs[b].Text), len(runs[a].Text)) })
	missing := make([]bool, len(runs))
	for _, i := range order {
		missing[i] = !all.take(fold(runs[i].Text), runs[i].Glued, i+1 < len(runs) && runs[i+1].Glued)
	}
	var texts []string
	for i, r := range runs {
		if missing[i] && strings.Trim(r.Text, separators) != "" {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// A pile is texts that runs are taken from.
type pile struct {
	texts []string
	whole map[string][]int // where each text was before anything was taken from it
}

// taken stands where a run was. It is no letter, and in no page.
const taken = "\x00"

// take takes a text away where it stands as words of its own; before and after say that it may
// also be a part of a word.
func (p *pile) take(text string, before, after bool) bool {
	for at := p.whole[text]; len(at) > 0; at = p.whole[text] {
		p.whole[text] = at[1:]
		if p.texts[at[0]] == text {
			p.texts[at[0]] = taken
			return true
		}
	}
	for i, t := range p.texts {
		for from := 0; ; {
			at := strings.Index(t[from:], text)
			if at < 0 {
				break
			}
			at += from
			if (before || parted(t[:at], text)) && (after || parted(text, t[at+len(text):])) {
				p.texts[i] = t[:at] + taken + t[at+len(text):]
				return true
			}
			_, size := utf8.DecodeRuneInString(t[at:])
			from = at + size
		}
	}
	return false
}

// parted says that a word ends where a text follows another.
func parted(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return !inWord(last) || !inWord(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// invented gives the shown texts that have words the page has nowhere, and those with a hidden text.
func invented(seen Seen, shown []string) []string {
	known, whole := map[string]bool{}, strings.Builder{}
	for _, r := range seen.Runs {
		if !r.Glued {
			whole.WriteByte(' ')
		}
		whole.WriteString(fold(r.Text))
	}
	readable := []string{whole.String()}
	for _, r := range seen.Runs {
		readable = append(readable, fold(r.Text))
	}
	for _, n := range seen.Names {
		readable = append(readable, fold(n))
	}
	for _, t := range readable {
		for _, w := range words(t) {
			known[w] = true
		}
	}
	var texts []string
	for _, s := range shown {
		if strange(fold(s), known) || tells(fold(s), seen.Hidden, readable) {
			texts = append(texts, s)
		}
	}
	return texts
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
func has(text, other string) bool { return (&pile{texts: []string{text}}).take(other, false, false) }
