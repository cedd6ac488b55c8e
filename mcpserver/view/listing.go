package view

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// Listing is the result of tools/list, for both eras of the protocol. Each is
// put together once, when it is first asked for.
type Listing struct {
	own    []json.RawMessage // our own tools, each the whole Tool object; they come first
	tools  []*registry.HubTool
	Meta   json.RawMessage // of the result; nil for none
	Legacy func() json.RawMessage
	Modern func() json.RawMessage // by protocol 2026-07-28
}

// NewListing lists our own tools first, whose names sort before all page
// tools' names.
func NewListing(own []json.RawMessage, tools []*registry.HubTool) Listing {
	l := Listing{own: own, tools: tools}
	l.Legacy = sync.OnceValue(func() json.RawMessage { return l.part(0, l.len(), "") })
	l.Modern = sync.OnceValue(func() json.RawMessage { return AsModern(l.Legacy()) })
	return l
}

func (l *Listing) len() int { return len(l.own) + len(l.tools) }

// part puts the tools in the places from from to to side by side as they are.
// A next that is not empty is the cursor of what follows.
func (l *Listing) part(from, to int, next string) json.RawMessage {
	tool := func(i int) json.RawMessage {
		if i < len(l.own) {
			return l.own[i]
		}
		return l.tools[i-len(l.own)].Encoded
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

// AsModern adds what protocol 2026-07-28 asks for in the results of lists.
func AsModern(legacy json.RawMessage) json.RawMessage {
	return append(bytes.Clone(legacy[:len(legacy)-1]), `,"resultType":"complete","ttlMs":0,"cacheScope":"private"}`...)
}

// WithMeta adds a list's _meta to its result, or a page of it.
func WithMeta(result, meta json.RawMessage) json.RawMessage {
	if meta == nil {
		return result
	}
	out := make([]byte, 0, len(result)+len(meta)+len(`,"_meta":`))
	out = append(append(out, result[:len(result)-1]...), `,"_meta":`...)
	return append(append(out, meta...), '}')
}

// paging is a list that a client is reading page by page. It is kept, so that
// the pages fit together whatever changes meanwhile.
type paging struct {
	name string // by which its cursors call it
	list Listing
	seen Seen
}

// process tells this process's cursors from others'.
var process = rand.Text()[:8]

// listName calls a list that changes by its process and version, and the static one by
// what it consists of: its pages are the same bytes from any process.
func listName(list Listing, seen Seen, static bool) string {
	if !static {
		return fmt.Sprintf("%s.%d", process, seen.version)
	}
	h := fnv.New64a()
	for _, tool := range list.own {
		h.Write(tool)
	}
	return fmt.Sprintf("static.%x", h.Sum64())
}

// A cursor says which list it is about, and where in that the next page begins.
func makeCursor(list string, at int) string { return list + "." + strconv.Itoa(at) }

func readCursor(cursor string) (list string, at int, ok bool) {
	dot := strings.LastIndexByte(cursor, '.')
	if dot < 0 {
		return "", 0, false
	}
	at, err := strconv.Atoi(cursor[dot+1:])
	return cursor[:dot], at, err == nil && at > 0
}

// ListPage gives the page of size tools that begins at a cursor, or the first. It
// fails if the cursor is of no list that the client can go on with. Only who has
// read the last page has read the list.
func (l *ClientView) ListPage(cursor string, size int) (page json.RawMessage, seen Seen, ok bool) {
	p, at := paging{}, 0
	if cursor == "" {
		p = l.begin()
	} else {
		name, from, ok := readCursor(cursor)
		if ok {
			p, ok = l.pagingOf(name)
		}
		if at = from; !ok || at >= p.list.len() {
			return nil, Seen{}, false
		}
	}
	to, next := min(at+size, p.list.len()), ""
	if to < p.list.len() {
		next = makeCursor(p.name, to)
		l.mu.Lock()
		l.paging = p // until the client begins another
		l.mu.Unlock()
		p.seen.list = false
	}
	return WithMeta(p.list.part(at, to, next), p.list.Meta), p.seen, true
}

// begin is the client's list as it is now.
func (l *ClientView) begin() (p paging) {
	var static bool
	p.list, p.seen, static = l.listing()
	p.name = listName(p.list, p.seen, static)
	return p
}

// pagingOf finds the list of that name: the one that is being read, or, for
// clients whose requests aren't known to belong together, the current one or the
// static one, with which such a client may have begun.
func (l *ClientView) pagingOf(name string) (paging, bool) {
	l.mu.Lock()
	p := l.paging
	l.mu.Unlock()
	if p.name == name {
		return p, true
	}
	if p = l.begin(); p.name == name {
		return p, true
	}
	p, ok := l.staticAnyway()
	return p, ok && p.name == name
}

// staticAnyway is the static list of a client that may be shown that one, though it would
// be shown another now.
func (l *ClientView) staticAnyway() (p paging, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.surfaced.kind != ByUse {
		return paging{}, false
	}
	k := &l.look
	p.list, p.seen = staticList(k.now), Seen{list: true, version: k.now.Catalog.Version(), sight: k.sight}
	p.list.Meta = GoesOnMeta
	p.name = listName(p.list, p.seen, true)
	return p, true
}
