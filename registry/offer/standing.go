package offer

// Standing says how what pages register stands with what was accepted of their origins
// before. It is immutable, and costs nothing where it is nil.
type Standing interface {
	// Of judges a tool that a document of an origin has registered; page is the origin of
	// the main document around it. Both are as in [names.DocumentOrigin].
	Of(t *PageTool, origin, page string) Verdict
}

// Verdict is what a [Standing] says of a tool. The zero value is that all is well.
type Verdict struct {
	// Mark is what its description is to begin with, in the hub's own words: "[…] " once
	// or more, or "".
	Mark string
	// Held says, of a tool that must not be published, why: by what it differs from what was
	// accepted, and what a person can do. It is nil of one that may be. Any goroutine may
	// call it.
	Held func() string
}

// Held is a tool of a page that is withheld.
type Held struct {
	Tool   *PageTool
	Origin string // of its document, see names.DocumentOrigin
	Why    string // what Verdict.Held says
}
