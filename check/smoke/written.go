package smoke

import (
	"regexp/syntax"
	"strings"
)

// written are texts made from a pattern: of each repetition as few as may be, and one more.
// It is nil for a pattern that only JavaScript reads; whether they match is to be tried.
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

// maxWritten is how long a text becomes that is made from a pattern, in bytes.
const maxWritten = 2_000

// write writes a text for a part of a pattern, and says whether there is one.
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

// nice is a character of a class, given as pairs of the first and the last: a letter or a
// digit if it has one.
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
