package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"webmcphub/registry/sanitize"
)

// Bounds on the texts of one node, in bytes.
const (
	MaxName  = 1000    // of a name; a snapshot cuts it further
	MaxText  = 100_000 // of a text
	MaxValue = 100_000
	maxURL   = 2000
)

// Bar separates texts of different blocks, or options, that share a line. Cleaned texts of a page don't contain it.
// It is written as " | ", and a bar of the page as \|.
const Bar = "\x1f"

// Clean makes a page's text fit for a line of a snapshot: without invisible characters, on one line, without runs of
// space, and bounded. Whoever writes it puts it in quotes.
func Clean(s string, limit int) string {
	if len(s) > 4*limit { // what is cut off need not be cleaned
		s = s[:4*limit]
	}
	s = strings.Join(strings.Fields(sanitize.Text(s, 4*limit+8)), " ")
	return Cut(s, limit)
}

// Cut cuts s off at limit bytes at most and adds an ellipsis.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `|`, `\|`, Bar, " | ", "\n", `\n`, "\r", `\r`, "\u2028", " ",
	"\u2029", " ")

// Quote quotes a page's text so that it can't be mistaken for the snapshot's own words: within the quotes, quotes and
// bars have a backslash, and there is no newline.
func Quote(s string) string { return `"` + quoting.Replace(s) + `"` }

// PlainURL returns a URL as one word. Characters that could end the word are replaced.
func PlainURL(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '"' || r == '\\' || r == 0x7F {
			return '_'
		}
		return r
	}, sanitize.Text(s, maxURL))
}

// relative returns a link's target relative to its document.
func relative(target, document string) string {
	if strings.HasPrefix(target, "javascript:") {
		return ""
	}
	doc, _, _ := strings.Cut(document, "#")
	if rest, ok := strings.CutPrefix(target, doc); ok && strings.HasPrefix(rest, "#") {
		return rest
	}
	scheme, rest, is := strings.Cut(doc, "://")
	host, _, _ := strings.Cut(rest, "/")
	if path, ok := strings.CutPrefix(target, scheme+"://"+host); is && ok && strings.HasPrefix(path, "/") {
		return path
	}
	return target
}

// wordly says whether a text contains a letter or a figure.
func wordly(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// parting says whether a text is only one or two signs that separate other texts.
func parting(s string) bool {
	return utf8.RuneCountInString(s) <= 2 && strings.Trim(s, "|/·•,;:.()[]‹›«»<>-–—… ") == ""
}

// words returns the words of a text that contain a letter or a figure, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// repeats says whether a name contains each word of a text, so that the text adds nothing. A text that has only signs
// adds nothing to a name.
func repeats(name, text string) bool {
	textWords := words(text)
	if len(textWords) == 0 {
		return true
	}
	in := map[string]int{}
	for _, word := range words(name) {
		in[word]++
	}
	for _, word := range textWords {
		if in[word]--; in[word] < 0 {
			return Squeezed(name) == Squeezed(text) // for example if the letters are spaced
		}
	}
	return true
}

// ShortURL returns the address of a link without a long query, which few need.
func ShortURL(url string, limit int) string {
	const parameters = 20
	if path, query, ok := strings.Cut(url, "?"); ok && len(query) > parameters && len(path) > 1 {
		url = path + "?…"
	}
	return Cut(url, limit)
}

// Squeezed returns s without spaces and in lower case, to compare texts that are laid out differently.
func Squeezed(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(s, Bar, " ")), ""))
}
