package lint

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed: a program that doesn't lint starts
// without it.
type pattern func() *regexp.Regexp

// lazily returns the pattern of an expression, which must be valid.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
