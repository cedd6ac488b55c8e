package registry

import (
	"encoding/json"
	"errors"
	"fmt"
)

// PageError is how a request to a page's MCP server failed: an error that the
// page answered with, or the end of the page. Text is for the agent.
type PageError struct {
	Code int // of JSON-RPC
	Text string
}

func (e PageError) Error() string { return e.Text }

// ErrNoAnswer means that a page's MCP server answered with something that is
// no result of the request.
var ErrNoAnswer = errors.New("the page's MCP server answered with something that is no result of this request")

// ReadResult makes a page's answer to resources/read one that clients take:
// contents of other than the fields that MCP asks for are left out, and URIs
// are those by which the client can read them.
func ReadResult(c *OfferCatalog, t ResourceTarget, raw json.RawMessage) (json.RawMessage, error) {
	var said fields
	var contents []json.RawMessage
	if nestedDeeper(raw, MaxResultDepth) || json.Unmarshal(raw, &said) != nil || json.Unmarshal(said["contents"], &contents) != nil || contents == nil {
		return nil, ErrNoAnswer
	}
	clean := make([]json.RawMessage, 0, len(contents))
	for _, item := range contents {
		if item = readable(item, func(uri string) string {
			if uri == t.URI {
				return t.Hub
			}
			return c.HubURI(t.Resource, uri)
		}); item != nil {
			clean = append(clean, item)
		}
	}
	if len(clean) < len(contents) && len(clean) == 0 {
		return nil, ErrNoAnswer
	}
	return visibleJSON(portable(mustEncode(map[string]any{"contents": clean, "_meta": t.Resource.Meta}))), nil
}

// readable is a resource's contents with the URI that hub gives, or nil if
// they are none.
func readable(item json.RawMessage, hub func(string) string) json.RawMessage {
	var said fields
	if !soundResource(item) || json.Unmarshal(item, &said) != nil {
		return nil
	}
	var uri string
	_ = json.Unmarshal(said["uri"], &uri) // it is sound
	clean := fields{"uri": mustEncode(hub(uri))}
	for _, k := range []string{"text", "blob", "mimeType"} {
		if said[k] != nil {
			clean[k] = said[k]
		}
	}
	return mustEncode(clean)
}

// PromptResult makes a page's answer to prompts/get one that clients take.
func PromptResult(c *OfferCatalog, t *HubPrompt, raw json.RawMessage) (json.RawMessage, error) {
	var said fields
	var messages []fields
	if nestedDeeper(raw, MaxResultDepth) || json.Unmarshal(raw, &said) != nil || json.Unmarshal(said["messages"], &messages) != nil || messages == nil {
		return nil, ErrNoAnswer
	}
	hub := func(uri string) string { return c.HubURIOf(t, uri) }
	clean := make([]map[string]any, 0, len(messages))
	for _, m := range messages {
		role := string(m["role"])
		if role != `"user"` && role != `"assistant"` || m["content"] == nil {
			return nil, ErrNoAnswer
		}
		content := m["content"]
		if !soundContent(content) {
			content = mustEncode(textContent{"text", string(content)})
		}
		content = t.keys.cleanBlock(content)
		clean = append(clean, map[string]any{"role": m["role"], "content": withHubURIs(content, hub)})
	}
	out := map[string]any{"messages": clean, "_meta": t.Meta}
	var description string
	if said["description"] != nil && json.Unmarshal(said["description"], &description) == nil {
		out["description"] = CleanText(description, MaxDescription)
	}
	return visibleJSON(portable(mustEncode(out))), nil
}

// withHubURIs maps the URI in a content block that has one; others stay as
// they are.
func withHubURIs(block json.RawMessage, hub func(string) string) json.RawMessage {
	var b fields
	if json.Unmarshal(block, &b) != nil {
		return block
	}
	switch string(b["type"]) {
	case `"resource"`:
		if inner := readable(b["resource"], hub); inner != nil {
			b["resource"] = inner
			return mustEncode(b)
		}
	case `"resource_link"`:
		var uri string
		if json.Unmarshal(b["uri"], &uri) == nil {
			b["uri"] = mustEncode(hub(uri))
			return mustEncode(b)
		}
	}
	return block
}

// MaxCompletions is how many values a completion has at most, as MCP has it.
const MaxCompletions = 100

// CompletionResult makes a page's answer to completion/complete one that
// clients take.
func CompletionResult(raw json.RawMessage) (json.RawMessage, error) {
	var said struct {
		Completion struct {
			Values  []any    `json:"values"`
			Total   *float64 `json:"total"`
			HasMore *bool    `json:"hasMore"`
		} `json:"completion"`
	}
	if json.Unmarshal(raw, &said) != nil || said.Completion.Values == nil {
		return nil, ErrNoAnswer
	}
	values := []string{}
	for _, v := range said.Completion.Values[:min(len(said.Completion.Values), MaxCompletions)] {
		if s, ok := v.(string); ok {
			values = append(values, CleanText(s, 1024))
		}
	}
	out := map[string]any{"values": values}
	if t := said.Completion.Total; t != nil && *t >= 0 && *t < 1<<53 {
		out["total"] = int64(*t)
	}
	if m := said.Completion.HasMore; m != nil {
		out["hasMore"] = *m
	}
	if len(said.Completion.Values) > MaxCompletions {
		out["hasMore"] = true
	}
	return mustEncode(map[string]any{"completion": out}), nil
}

// TooLarge says that an answer is longer than what is passed on.
func TooLarge(bytes, max int) PageError {
	return PageError{codeInternal, fmt.Sprintf("the page's answer has %d bytes; at most %d are passed on", bytes, max)}
}
