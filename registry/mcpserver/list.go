package mcpserver

import (
	"bytes"
	"encoding/json"
	"sync"

	"webmcphub/registry"
)

// served is a catalog with what is serialised of it at most once, at the
// first request that needs it.
type served struct {
	catalog  *registry.Catalog
	replaced chan struct{} // closed when it is no longer the current one
	list     func() listing
	overall  func() registry.Result // list_webmcp_tools without arguments
}

// listing is the result of tools/list, for both eras of the protocol.
type listing struct {
	legacy json.RawMessage
	modern func() json.RawMessage
}

func newServed(c *registry.Catalog, static []staticTool) *served {
	return &served{
		catalog:  c,
		replaced: make(chan struct{}),
		list:     sync.OnceValue(func() listing { return newListing(static, c.Tools()) }),
		overall:  sync.OnceValue(func() registry.Result { return overview(c, c.Tabs()) }),
	}
}

// newListing puts the tools side by side as they are: our own first, whose
// names sort before all page tools' names.
func newListing(static []staticTool, tools []*registry.HubTool) listing {
	size := len(`{"tools":[]}`)
	for _, t := range static {
		size += len(t.encoded) + 1
	}
	for _, t := range tools {
		size += len(t.Encoded) + 1
	}
	out := make([]byte, 0, size)
	out = append(out, `{"tools":[`...)
	for i, t := range static {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, t.encoded...)
	}
	for _, t := range tools {
		out = append(out, ',')
		out = append(out, t.Encoded...)
	}
	out = append(out, "]}"...)
	legacy := oneLine(out)
	return listing{legacy, sync.OnceValue(func() json.RawMessage {
		// The members that protocol 2026-07-28 asks for in list results.
		return append(bytes.Clone(legacy[:len(legacy)-1]), `,"resultType":"complete","ttlMs":0,"cacheScope":"private"}`...)
	})}
}

// oneLine makes sure that JSON text has no line break, which would end the
// message in the middle.
func oneLine(raw json.RawMessage) json.RawMessage {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if err := json.Compact(&b, raw); err != nil {
		// Not JSON: a bug elsewhere that must not break the stream.
		b.Reset()
		b.WriteString("null")
	}
	return b.Bytes()
}
