package lint

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime limits the time to match one text against a pattern that package regexp, which always takes linear
// time, can't parse.
const patternTime = 3 * time.Second

// CompilePattern compiles a schema's pattern, which is a JavaScript regular expression.
func CompilePattern(p string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(p); err == nil {
		return re, nil
	}
	re, err := regexp2.Compile(p, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = patternTime
	return script{re}, nil
}

// script is a pattern that only a JavaScript regular expression engine can parse.
type script struct{ *regexp2.Regexp }

// MatchString reports whether a text matches. It reports false if that takes longer than patternTime.
func (s script) MatchString(text string) bool {
	ok, err := s.Regexp.MatchString(text)
	return ok && err == nil
}

// pattern compiles a pattern. It sets Unread for a pattern with a character property, such as the name of a script,
// that JavaScript knows and regexp2 doesn't.
func (s *Schema) pattern(p string) (jsonschema.Regexp, error) {
	re, err := CompilePattern(p)
	if err != nil && (strings.Contains(p, `\p{`) || strings.Contains(p, `\P{`)) {
		s.Unread = true
		return anything(p), nil
	}
	return re, err
}

// anything matches all texts.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }
