package offer

import (
	"encoding/json"
	"fmt"
	"webmcphub/registry/sanitize"
)

// PageRequest is a request of a page's own MCP server to the agent: sampling/createMessage, elicitation/create or
// roots/list.
type PageRequest struct {
	Server DocumentRef
	Origin string // the document's, "" if it has none
	// PageOrigin is the origin of the page's main document. It may differ from Origin in an iframe.
	PageOrigin string
	Method     string
	Params     json.RawMessage // the page's own, or nil
	// Tool is the page's name for the tool that is running for the client to whom the request goes; "" if none is.
	Tool string
}

// whose returns Who with the tool that is running.
func (r PageRequest) whose() string {
	if r.Tool == "" {
		return r.Who()
	}
	return fmt.Sprintf("%s, whose tool %q you called,", r.Who(), sanitize.Text(r.Tool, 128))
}

// Who names the page for people and agents.
func (r PageRequest) Who() string {
	if r.Origin == "" {
		return "a page without an origin of its own"
	}
	return r.Origin
}

// Sanitized returns the params that the hub passes on to a client, see [sanitize.Request]. The error is a
// [sanitize.PageError] for the page.
func (r PageRequest) Sanitized() (json.RawMessage, error) {
	return sanitize.Request{Method: r.Method, Params: r.Params, Who: r.whose(), Meta: RequestMeta(r.Origin),
		Keys: sanitize.MetaKeys{Origin: r.Origin, Owner: new(Rules).ownerOf}}.Clean()
}

// RequestMeta returns the _meta that says where a message of a page's MCP server comes from.
func RequestMeta(origin string) json.RawMessage {
	return sanitize.Encode(map[string]any{sanitize.ProvenanceKey: map[string]any{"trust": sanitize.Untrusted,
		"origin": origin, "runtime": MCPB}})
}
