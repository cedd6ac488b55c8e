package mcpserver

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// served is a catalog with what is serialised of it at most once, at the
// first request that needs it.
type served struct {
	catalog  *registry.Catalog
	static   []staticTool  // see newListing
	reached  time.Time     // when a browser was there again
	replaced chan struct{} // closed when it is no longer the current one
	list     func() listing
	overall  func() registry.Result // list_webmcp_tools without arguments

	mu     sync.Mutex
	others map[registry.Sight]*served // the same for clients that look at it otherwise
}

// listing is the result of tools/list, for both eras of the protocol. Each is
// put together once, when it is first asked for.
type listing struct {
	static []staticTool // they come first
	tools  []*registry.HubTool
	legacy func() json.RawMessage
	modern func() json.RawMessage
}

// modernMembers are those that protocol 2026-07-28 asks for in list results.
const modernMembers = `,"resultType":"complete","ttlMs":0,"cacheScope":"private"}`

func newServed(c *registry.Catalog, static []staticTool) *served {
	return &served{
		catalog:  c,
		static:   static,
		replaced: make(chan struct{}),
		list:     sync.OnceValue(func() listing { return newListing(static, c.Tools()) }),
		overall:  sync.OnceValue(func() registry.Result { return overview(c, c.Tabs(), seesAllTabs) }),
	}
}

// newListing lists our own tools first, whose names sort before all page
// tools' names.
func newListing(static []staticTool, tools []*registry.HubTool) listing {
	l := listing{static: static, tools: tools}
	l.legacy = sync.OnceValue(func() json.RawMessage { return l.part(0, l.len(), "") })
	l.modern = sync.OnceValue(func() json.RawMessage { return asModern(l.legacy()) })
	return l
}

func (l *listing) len() int { return len(l.static) + len(l.tools) }

// part puts the tools in the places from from to to side by side as they are.
// A next that is not empty is the cursor of what follows.
func (l *listing) part(from, to int, next string) json.RawMessage {
	tool := func(i int) json.RawMessage {
		if i < len(l.static) {
			return l.static[i].encoded
		}
		return l.tools[i-len(l.static)].Encoded
	}
	size := len(`{"tools":[],"nextCursor":""}`) + len(next)
	for i := from; i < to; i++ {
		size += len(tool(i)) + 1
	}
	out := append(make([]byte, 0, size), `{"tools":[`...)
	for i := from; i < to; i++ {
		if i > from {
			out = append(out, ',')
		}
		out = append(out, tool(i)...)
	}
	out = append(out, ']')
	if next != "" {
		out = append(append(append(out, `,"nextCursor":"`...), next...), '"')
	}
	return jsonrpc.OneLine(append(out, '}'))
}

func asModern(legacy json.RawMessage) json.RawMessage {
	return append(bytes.Clone(legacy[:len(legacy)-1]), modernMembers...)
}
