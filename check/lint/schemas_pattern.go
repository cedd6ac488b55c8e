package lint

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime bounds how long one text is held against a pattern that Go's own package,
// which is never slow, can't read.
const patternTime = 3 * time.Second

// CompilePattern compiles a pattern of a schema, which is a JavaScript regular expression.
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

// script is a pattern that only JavaScript's rules can read.
type script struct{ *regexp2.Regexp }

// MatchString says whether a text matches; it doesn't if that takes too long to tell.
func (s script) MatchString(text string) bool {
	ok, err := s.Regexp.MatchString(text)
	return ok && err == nil
}

// pattern reads a pattern, or notes that it can't: names of scripts and other properties of
// characters are many more in JavaScript than here.
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
