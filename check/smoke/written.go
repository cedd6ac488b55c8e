package smoke

import (
	"regexp/syntax"
	"strings"
)

// written returns texts made from a pattern: one with the fewest repetitions, and one with one repetition more. It
// returns nil for a pattern that only JavaScript can parse. The caller must check whether the texts match.
func written(pattern string) (all []string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	for more := range 2 {
		var b strings.Builder
		if write(&b, re, more) {
			all = append(all, b.String())
		}
	}
	return all
}

// maxWritten limits the length in bytes of a text made from a pattern.
const maxWritten = 2_000

// write writes a text for a part of a pattern, and reports whether there is one.
func write(b *strings.Builder, re *syntax.Regexp, more int) bool {
	if b.Len() > maxWritten {
		return false
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return false
		}
		b.WriteRune(nice(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpAlternate:
		return write(b, re.Sub[0], more)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !write(b, sub, more) {
				return false
			}
		}
	case syntax.OpStar, syntax.OpQuest:
		return more == 0 || write(b, re.Sub[0], more)
	case syntax.OpPlus:
		return write(b, re.Sub[0], more) && (more == 0 || write(b, re.Sub[0], more))
	case syntax.OpRepeat:
		n := re.Min
		if more > 0 && (re.Max < 0 || n < re.Max) {
			n++
		}
		for range n {
			if !write(b, re.Sub[0], more) {
				return false
			}
		}
	case syntax.OpNoMatch:
		return false
	}
	return true
}

// nice returns a character of a class, preferably a letter or a digit. The class is given as pairs of first and last
// characters.
func nice(class []rune) rune {
	for _, want := range "aA1" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] > ' ' {
			return max(class[i], '!')
		}
	}
	return class[0]
}
