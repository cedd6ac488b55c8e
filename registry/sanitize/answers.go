package sanitize

import "encoding/json"

// ReadResult turns a page's answer to resources/read into one that clients accept. It leaves out contents that lack
// fields that MCP requires, or have others. hub returns the URIs by which the client can read the resources; meta is
// the answer's _meta.
func ReadResult(raw, meta json.RawMessage, hub func(uri string) string) (json.RawMessage, error) {
	var members fields
	var contents []json.RawMessage
	if NestedDeeper(raw, MaxResultDepth) || json.Unmarshal(raw, &members) != nil ||
		json.Unmarshal(members["contents"], &contents) != nil || contents == nil {
		return nil, ErrNoAnswer
	}
	clean := make([]json.RawMessage, 0, len(contents))
	for _, item := range contents {
		if item = readable(item, hub); item != nil {
			clean = append(clean, item)
		}
	}
	if len(clean) < len(contents) && len(clean) == 0 {
		return nil, ErrNoAnswer
	}
	return visibleJSON(portable(Encode(map[string]any{"contents": clean, "_meta": meta}))), nil
}

// readable returns a resource's contents with the URI that hub returns, or nil if item is not valid.
func readable(item json.RawMessage, hub func(string) string) json.RawMessage {
	var members fields
	if !soundResource(item) || json.Unmarshal(item, &members) != nil {
		return nil
	}
	var uri string
	_ = json.Unmarshal(members["uri"], &uri) // soundResource has checked it
	clean := fields{"uri": Encode(hub(uri))}
	for _, k := range []string{"text", "blob", "mimeType"} {
		if members[k] != nil {
			clean[k] = members[k]
		}
	}
	return Encode(clean)
}

// PromptResult turns a page's answer to prompts/get into one that clients accept; meta and hub are as in ReadResult.
// keys are the document's.
func PromptResult(raw, meta json.RawMessage, keys MetaKeys, hub func(uri string) string) (json.RawMessage, error) {
	var members fields
	var messages []fields
	if NestedDeeper(raw, MaxResultDepth) || json.Unmarshal(raw, &members) != nil ||
		json.Unmarshal(members["messages"], &messages) != nil || messages == nil {
		return nil, ErrNoAnswer
	}
	clean := make([]map[string]any, 0, len(messages))
	for _, m := range messages {
		role := string(m["role"])
		if role != `"user"` && role != `"assistant"` || m["content"] == nil {
			return nil, ErrNoAnswer
		}
		content := m["content"]
		if !soundContent(content) {
			content = Encode(textContent{"text", string(content)})
		}
		content = keys.Block(content)
		clean = append(clean, map[string]any{"role": m["role"], "content": withHubURIs(content, hub)})
	}
	out := map[string]any{"messages": clean, "_meta": meta}
	var description string
	if members["description"] != nil && json.Unmarshal(members["description"], &description) == nil {
		out["description"] = Text(description, MaxDescription)
	}
	return visibleJSON(portable(Encode(out))), nil
}

// withHubURIs replaces the URI in a content block that has one. Other blocks stay as they are.
func withHubURIs(block json.RawMessage, hub func(string) string) json.RawMessage {
	var b fields
	if json.Unmarshal(block, &b) != nil {
		return block
	}
	switch string(b["type"]) {
	case `"resource"`:
		if inner := readable(b["resource"], hub); inner != nil {
			b["resource"] = inner
			return Encode(b)
		}
	case `"resource_link"`:
		var uri string
		if json.Unmarshal(b["uri"], &uri) == nil {
			b["uri"] = Encode(hub(uri))
			return Encode(b)
		}
	}
	return block
}

// MaxCompletions is how many values a completion may have, according to MCP.
const MaxCompletions = 100

// CompletionResult turns a page's answer to completion/complete into one that clients accept.
func CompletionResult(raw json.RawMessage) (json.RawMessage, error) {
	var result struct {
		Completion struct {
			Values  []any    `json:"values"`
			Total   *float64 `json:"total"`
			HasMore *bool    `json:"hasMore"`
		} `json:"completion"`
	}
	if json.Unmarshal(raw, &result) != nil || result.Completion.Values == nil {
		return nil, ErrNoAnswer
	}
	values := []string{}
	for _, v := range result.Completion.Values[:min(len(result.Completion.Values), MaxCompletions)] {
		if s, ok := v.(string); ok {
			values = append(values, Text(s, 1024))
		}
	}
	out := map[string]any{"values": values}
	if t := result.Completion.Total; t != nil && *t >= 0 && *t < 1<<53 {
		out["total"] = int64(*t)
	}
	if m := result.Completion.HasMore; m != nil {
		out["hasMore"] = *m
	}
	if len(result.Completion.Values) > MaxCompletions {
		out["hasMore"] = true
	}
	return Encode(map[string]any{"completion": out}), nil
}
