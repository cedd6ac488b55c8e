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
// functions take a node as their first argument. Each file is a function that adds its own functions to the object
// that it is given.
var ActingScript = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("void (() => {\nconst hub = {};\n")
	err := fs.WalkDir(files, ".", func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		source, err := files.ReadFile(path)
		b.WriteString("(" + strings.TrimSpace(string(source)) + "\n)(hub);\n")
		return err
	})
	if err != nil {
		panic(err) // can't happen, since the files are embedded
	}
	b.WriteString("void Object.defineProperty(globalThis, '__webmcpHubAct', { value: hub, configurable: true });\n})()")
	return b.String()
})

// WaitingScript is the source of a function that looks for texts in a document, and waits for the document to change.
// Its arguments are a number that identifies the wait, the texts that are to be shown, the texts that are not to be
// shown, and the key of its previous result.
//
//go:embed waiting/watch.js
var WaitingScript string
