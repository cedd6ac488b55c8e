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

// Listing is the result of tools/list, for both versions of the protocol. Each version is made once, when it is first
// requested.
type Listing struct {
	own    []json.RawMessage // the hub's own tools, each a whole Tool object; they come first
	tools  []*registry.HubTool
	Meta   json.RawMessage // the result's _meta; nil for none
	Legacy func() json.RawMessage
	Modern func() json.RawMessage // for protocol 2026-07-28
}

// NewListing lists the hub's own tools first. Their names sort before all names of page tools.
func NewListing(own []json.RawMessage, tools []*registry.HubTool) Listing {
	l := Listing{own: own, tools: tools}
	l.Legacy = sync.OnceValue(func() json.RawMessage { return l.part(0, l.len(), "") })
	l.Modern = sync.OnceValue(func() json.RawMessage { return AsModern(l.Legacy()) })
	return l
}

func (l *Listing) len() int { return len(l.own) + len(l.tools) }

// part returns the tools at the positions from up to, but without, to. If next is not empty, it is the cursor of the
// part that follows.
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

// AsModern adds the members that protocol 2026-07-28 requires in the results of lists.
func AsModern(legacy json.RawMessage) json.RawMessage {
	return append(bytes.Clone(legacy[:len(legacy)-1]), `,"resultType":"complete","ttlMs":0,"cacheScope":"private"}`...)
}

// WithMeta adds a list's _meta to its result, or to the result of one page of the list.
func WithMeta(result, meta json.RawMessage) json.RawMessage {
	if meta == nil {
		return result
	}
	out := make([]byte, 0, len(result)+len(meta)+len(`,"_meta":`))
	out = append(append(out, result[:len(result)-1]...), `,"_meta":`...)
	return append(append(out, meta...), '}')
}

// paging is a list that a client is reading page by page. It is kept so that the pages fit together even if the list
// changes meanwhile.
type paging struct {
	name string // by which the list's cursors refer to it
	list Listing
	seen Seen
}

// process distinguishes this process's cursors from those of other processes.
var process = rand.Text()[:8]

// listName names a list that changes by the process and the version, and the static list by a hash of its tools,
// because its pages are the same bytes from any process.
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

// A cursor says which list it refers to, and at which tool the next page begins.
func makeCursor(list string, at int) string { return list + "." + strconv.Itoa(at) }

func readCursor(cursor string) (list string, at int, ok bool) {
	dot := strings.LastIndexByte(cursor, '.')
	if dot < 0 {
		return "", 0, false
	}
	at, err := strconv.Atoi(cursor[dot+1:])
	return cursor[:dot], at, err == nil && at > 0
}

// ListPage returns the page of size tools that begins at a cursor, or the first page if cursor is "". ok is false if
// the cursor refers to no list that the client can continue. A client counts as having read the list only when it has
// read the last page.
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
		l.paging = p // until the client begins another list
		l.mu.Unlock()
		p.seen.list = false
	}
	return WithMeta(p.list.part(at, to, next), p.list.Meta), p.seen, true
}

// begin returns the client's list as it is now.
func (l *ClientView) begin() (p paging) {
	var static bool
	p.list, p.seen, static = l.listing()
	p.name = listName(p.list, p.seen, static)
	return p
}

// pagingOf finds the list with this name: the list that the client is reading, the current list or the static one. The
// hub may not know that two requests come from one client. Such a client may have begun with any of these lists.
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

// staticAnyway returns the static list if the client's surface can be that list, even if it is another one now.
func (l *ClientView) staticAnyway() (p paging, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.surface.kind != ByUse {
		return paging{}, false
	}
	k := &l.look
	p.list, p.seen = staticList(k.now), Seen{list: true, version: k.now.Catalog.Version(), listOptions: k.listOptions}
	p.list.Meta = GoesOnMeta
	p.name = listName(p.list, p.seen, true)
	return p, true
}
