package rules

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// word is one condition as the user wrote it.
type word struct {
	key    string // "" if there is no =
	values []string
}

// split splits a rule into its conditions.
func split(text string) (words []word, err error) {
	for rest := strings.TrimLeft(text, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		var w word
		if at := strings.IndexAny(rest, "= \t\""); at > 0 && rest[at] == '=' && !strings.ContainsAny(rest[:at], ":/*") {
			w.key, rest = rest[:at], rest[at+1:]
		}
		for {
			var value string
			if value, rest, err = cutValue(rest); err != nil {
				return nil, err
			}
			w.values = append(w.values, value)
			if !strings.HasPrefix(rest, ",") {
				break
			}
			rest = rest[1:]
		}
		words = append(words, w)
	}
	return words, nil
}

// cutValue cuts one value off the front of text: up to a blank or a comma, or in quotes.
func cutValue(text string) (value, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		value, rest, closed := strings.Cut(text[1:], `"`)
		if !closed {
			return "", "", errors.New(`a " has no other one that ends it`)
		}
		if rest != "" && !strings.ContainsAny(rest[:1], " \t,") {
			return "", "", errors.New(`after a closing " there must be a blank or a comma`)
		}
		return value, rest, nil
	}
	end := strings.IndexAny(text, " \t,\n\r")
	if end < 0 {
		end = len(text)
	}
	if end < len(text) && strings.ContainsAny(text[end:end+1], "\n\r") {
		return "", "", errors.New("a rule is one line")
	}
	return text[:end], text[end:], nil
}

// glob is a pattern in which * stands for any number of characters and ? for one.
type glob struct {
	pattern string
	literal string // the longest part of the pattern without * and ?, which every match contains
}

func newGlob(pattern string) glob {
	g := glob{pattern: pattern}
	for part := range strings.FieldsFuncSeq(pattern, func(r rune) bool { return r == '*' || r == '?' }) {
		if len(part) > len(g.literal) {
			g.literal = part
		}
	}
	return g
}

// matches reports whether s matches. It takes at worst time proportional to the product of both lengths.
func (g glob) matches(s string) bool { return strings.Contains(s, g.literal) && matches(g.pattern, s) }

func matches(g, s string) bool {
	star, mark, i, j := -1, 0, 0, 0
	for j < len(s) {
		switch {
		case i < len(g) && g[i] == '*':
			star, mark = i, j
			i++
		case i < len(g) && g[i] == '?':
			i, j = i+1, j+width(s[j:])
		case i < len(g) && g[i] == s[j]:
			i, j = i+1, j+1
		case star >= 0:
			mark += width(s[mark:])
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(g[i:], "*") == ""
}

// width returns the length in bytes of the first character.
func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// plain reports whether the pattern matches only one text.
func (g glob) plain() bool { return !strings.ContainsAny(g.pattern, "*?") }
