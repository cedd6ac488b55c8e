package page

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed acting/*.js
var files embed.FS

// Acting is the helper for acting on elements. It defines globalThis.__webmcpHubAct,
// whose functions take a node first.
var ActingScript = sync.OnceValue(func() string { return bundle("acting", "__webmcpHubAct") })

// Waiting is a function that looks for texts in a document, and waits for it to change. It
// takes a number that tells waits apart, the texts that are to be shown and those that
// are not to be, and the key of what it said last.
//
//go:embed waiting/watch.js
var WaitingScript string

// bundle makes one script of a folder's files, each of which is a function that puts its
// functions on the object that it is given.
func bundle(folder, global string) string {
	names, err := fs.Glob(files, folder+"/*.js")
	if err != nil {
		panic(err) // the pattern is ours
	}
	var b strings.Builder
	b.WriteString("void (() => {\nconst hub = {};\n")
	for _, name := range names {
		source, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the file is in the program
		}
		b.WriteString("(" + strings.TrimSpace(string(source)) + "\n)(hub);\n")
	}
	b.WriteString("void Object.defineProperty(globalThis, '" + global + "', { value: hub, configurable: true });\n})()")
	return b.String()
}
