package registry

import (
	"encoding/json"
	"webmcphub/registry/sanitize"
)

// ReadResult makes a page's answer to resources/read one that clients take: its
// URIs are those by which the client can read them.
func ReadResult(c *OfferCatalog, t ResourceTarget, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.ReadResult(raw, t.Resource.Meta, func(uri string) string {
		if uri == t.URI {
			return t.Hub
		}
		return c.HubURI(t.Resource, uri)
	})
}

// PromptResult makes a page's answer to prompts/get one that clients take.
func PromptResult(c *OfferCatalog, t *HubPrompt, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.PromptResult(raw, t.Meta, t.keys, func(uri string) string { return c.HubURIOf(t, uri) })
}
