package offer

import (
	"crypto/sha256"
	"encoding/hex"

	"webmcphub/registry/sanitize"
)

// Fingerprint returns a hash of all that a page registered for a tool except its frame, document and address. Two
// tools with the same fingerprint say the same.
func (t *PageTool) Fingerprint() string {
	content := *t
	content.Frame, content.Doc, content.FrameURL = "", 0, ""
	return Fingerprint(sanitize.Encode(content))
}

// Fingerprint returns the same for a resource, a template or a prompt.
func (o *Offer) Fingerprint() string {
	switch s := o.source.(type) {
	case *PageResource:
		content := *s
		content.Frame, content.Doc, content.FrameURL = "", 0, ""
		return Fingerprint(sanitize.Encode(content))
	case *PagePrompt:
		content := *s
		content.Frame, content.Doc, content.FrameURL = "", 0, ""
		return Fingerprint(sanitize.Encode(content))
	}
	return Fingerprint(o.Encoded)
}

// Fingerprint returns a hash of a text.
func Fingerprint(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Claims say what clients read about a tool's effects: what its page says and the hub passes on ([HintPolicy]). At
// most one of the two is true.
type Claims struct{ ReadOnly, Destructive bool }

// Claims returns the tool's claims.
func (t *HubTool) Claims() Claims {
	a := t.hints.passed.mcp()
	if a == nil {
		return Claims{}
	}
	return Claims{is(a.ReadOnly) && !is(a.Destructive), is(a.Destructive)}
}

// Source returns the offer as its page lists it: a [PageResource] or a [PagePrompt].
func (o *Offer) Source() Offering { return o.source }

// Origin returns the origin of the document that offers it, as in [HubTool.Origin].
func (o *Offer) Origin() string { return o.from }

// PageDescription returns the page's description of it, as the page wrote it.
func (o *Offer) PageDescription() string {
	switch s := o.source.(type) {
	case *PageResource:
		return s.Description
	case *PagePrompt:
		return s.Description
	}
	return ""
}
