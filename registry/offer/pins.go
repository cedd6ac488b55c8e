package offer

// Pins says, for each origin, which tools that pages register a person has accepted. It is immutable. A nil Pins costs
// nothing.
type Pins interface {
	// Check judges a tool that a document with this origin has registered; page is the origin of the page's main
	// document. Both are as in [names.DocumentOrigin].
	Check(t *PageTool, origin, page string) PinCheck
}

// PinCheck is the verdict of a [Pins] on a tool. The zero value means that all is well.
type PinCheck struct {
	// Mark is a prefix for the tool's description, in the hub's own words: "[…] " once or more, or "".
	Mark string
	// Held is set for a tool that must not be published. It says how the tool differs from the one that a person
	// accepted, and what a person can do. It may be called from any goroutine.
	Held func() string
}

// Held is a withheld tool of a page.
type Held struct {
	Tool   *PageTool
	Origin string // of its document, see names.DocumentOrigin
	Why    string // the text of PinCheck.Held
}
