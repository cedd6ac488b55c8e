// Package shared has the scripts that the extension and the CDP bridge both run
// in pages: what reads polyfills and forms, and what makes tools of a page that has none.
//
// The files belong to the extension, which is loaded from its folder as it is;
// this package embeds the same ones for cdpclient. They run in an isolated world,
// after something has defined webmcpHub, an object: parts.js adds parts to it, and each other file
// a maker of one part from those that it names. Nothing happens before
// webmcpHub.makeParts() is called.
package shared

import (
	"cmp"
	"embed"
	"strings"
)

//go:embed *.js
var files embed.FS

// Declared are the scripts for polyfills and declarative forms, in the order in
// which they run.
var Declared = []string{"after", "polyfill", "dom", "form-schema", "form-fill", "form-tools", "form-watch"}

// Introspection are the scripts that make tools of what is in a document. They
// need the parts of [Declared].
var Introspection = []string{"shown", "accessible-name", "stable-names", "dom-settled", "in-reach", "page-content",
	"typing", "changes", "form-default", "introspect"}

// Source is the text of parts.js and of the scripts of these names, as
// [WithoutComments] leaves it. It panics if there is no such script.
func Source(names ...string) string {
	text := []string{source("parts")}
	for _, name := range names {
		text = append(text, source(name))
	}
	return WithoutComments(strings.Join(text, "\n"))
}

// MayHaveTools is the text of the script that adds webmcpHub.mayHaveTools, which
// is no part: it needs webmcpHub alone.
func MayHaveTools() string { return WithoutComments(source("may-have-tools")) }

// OriginRules is the text of the script that adds webmcpHub.originPermitted and
// webmcpHub.documentPermitted, likewise.
func OriginRules() string { return WithoutComments(source("origin-rules")) }

// LegacyName is the text of the script that gives a page navigator.modelContext.
// It is for the page's own world and needs nothing.
func LegacyName() string { return WithoutComments(source("legacy-name")) }

// PolyfillPage is the text of a script that calls polyfillPage with these
// arguments. It is for the page's own world and needs nothing.
func PolyfillPage(arguments string) string {
	function := strings.Replace(WithoutComments(source("polyfill-page")), "export ", "", 1) // it is a module
	return "{\n" + function + "polyfillPage(" + arguments + ");\n}\n"
}

// WithoutComments takes out the lines of a script that are a comment and nothing
// else: every frame of every tab is sent these scripts. No string may have a line
// that looks like one.
func WithoutComments(script string) string {
	var code strings.Builder
	for script != "" {
		if rest, is := afterComment(script); is {
			script = rest
			continue
		}
		end := cmp.Or(strings.IndexByte(script, '\n')+1, len(script))
		code.WriteString(script[:end])
		script = script[end:]
	}
	return code.String()
}

// afterComment returns what follows the lines of the comment that a script begins
// with, if it begins with such lines.
func afterComment(script string) (rest string, is bool) {
	script = strings.TrimLeft(script, " \t")
	switch {
	case strings.HasPrefix(script, "//"):
		_, rest, is = strings.Cut(script, "\n")
	case strings.HasPrefix(script, "/*"):
		_, rest, _ = strings.Cut(script[2:], "*/")
		rest, is = strings.CutPrefix(rest, "\n")
	}
	return rest, is
}

func source(name string) string {
	text, err := files.ReadFile(name + ".js")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
