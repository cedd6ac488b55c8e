package page

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed acting/*.js
var files embed.FS

// ActingScript returns the helper for acting on elements. It defines globalThis.__webmcpHubAct, an object whose
// functions take a node as their first argument.
var ActingScript = sync.OnceValue(func() string { return bundle("acting", "__webmcpHubAct") })

// WaitingScript is the source of a function that looks for texts in a document, and waits for the document to change.
// Its arguments are a number that identifies the wait, the texts that are to be shown, the texts that are not to be
// shown, and the key of its previous result.
//
//go:embed waiting/watch.js
var WaitingScript string

// bundle makes one script of a folder's files. Each file is a function that adds its own functions to the object that
// it is given.
func bundle(folder, global string) string {
	names, err := fs.Glob(files, folder+"/*.js")
	if err != nil {
		panic(err) // can't happen, since the pattern is a constant
	}
	var b strings.Builder
	b.WriteString("void (() => {\nconst hub = {};\n")
	for _, name := range names {
		source, err := files.ReadFile(name)
		if err != nil {
			panic(err) // can't happen, since the file is embedded
		}
		b.WriteString("(" + strings.TrimSpace(string(source)) + "\n)(hub);\n")
	}
	b.WriteString("void Object.defineProperty(globalThis, '" + global + "', { value: hub, configurable: true });\n})()")
	return b.String()
}
