package pages

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Digest returns the same text for two definitions only if they are the same tool of the same document, with the same
// content. Builds that work together must compute the same digest, so what it covers can't change.
func Digest(t *offer.PageTool) string {
	h := sha256.New()
	is := toolOf(t, 0)
	for _, field := range []string{is.Frame, is.FrameUrl, is.Origin, is.Runtime, is.Name, is.Title, is.Description,
		string(is.InputSchema), string(is.OutputSchema), string(is.Meta), is.Script} {
		number(h, uint64(len(field)))
		h.Write([]byte(field))
	}
	number(h, is.Document)
	a := t.Annotations
	for _, hint := range []*bool{a.ReadOnly, a.Destructive, a.Idempotent, a.OpenWorld, a.Consequential, a.Untrusted,
		a.Cache} {
		switch {
		case hint == nil:
			h.Write([]byte{0})
		case *hint:
			h.Write([]byte{1})
		default:
			h.Write([]byte{2})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// DigestOf returns the [Digest] of a tool that a message describes.
func DigestOf(t *api.Tool) string { return Digest(pageTool(t)) }

func number(h hash.Hash, n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }

// Find returns the tool of the node's catalog that a gateway calls: the tool in the call's document with the content
// that the caller saw. If there is none, the error tells the agent why.
func Find(now *registry.Catalog, call *api.ToolCall) (*registry.HubTool, error) {
	name := sanitize.Text(call.Tool, 128)
	d := call.GetDocument()
	tab := now.Tab(registry.PageID(d.GetPage()))
	if tab == nil {
		return nil, fmt.Errorf("the page of the tool %q was closed; list the tools again", name)
	}
	route := offer.Route{Page: tab.Page, Frame: registry.FrameID(d.GetFrame()), Doc: registry.Gen(d.GetGeneration()),
		Runtime: offer.Runtime(call.Runtime), Tool: call.Tool}
	changed := false
	for _, t := range tab.Tools {
		if t.Route != route {
			continue
		}
		if Digest(t.Source()) == call.Digest {
			return t, nil
		}
		changed = true
	}
	if changed {
		return nil, fmt.Errorf("the tool %q has changed since it was listed; list the tools again", name)
	}
	return nil, fmt.Errorf("the page no longer offers the tool %q in the document that was listed; list the tools "+
		"again", name)
}
