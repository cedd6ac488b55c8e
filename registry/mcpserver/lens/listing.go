package lens

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
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
	list Listing
	seen Seen
}

// process tells this process's cursors from others'.
var process = rand.Text()[:8]

// A cursor says which list of which process it is about, and where in that the
// next page begins.
func makeCursor(version uint64, at int) string { return fmt.Sprintf("%s.%d.%d", process, version, at) }

func readCursor(cursor string) (version uint64, at int, ok bool) {
	parts := strings.Split(cursor, ".")
	if len(parts) != 3 || parts[0] != process {
		return 0, 0, false
	}
	version, err := strconv.ParseUint(parts[1], 10, 64)
	at, err2 := strconv.Atoi(parts[2])
	return version, at, err == nil && err2 == nil && at > 0
}

// ListPage gives the page of size tools that begins at a cursor, or the first. It
// fails if the cursor is of no list that the client can go on with. Only who has
// read the last page has read the list.
func (l *Lens) ListPage(cursor string, size int) (page json.RawMessage, seen Seen, ok bool) {
	p, at := paging{}, 0
	if cursor == "" {
		p.list, p.seen = l.Listing()
	} else {
		version, from, ok := readCursor(cursor)
		if ok {
			p, ok = l.pagingOf(version)
		}
		if at = from; !ok || at >= p.list.len() {
			return nil, Seen{}, false
		}
	}
	to, next := min(at+size, p.list.len()), ""
	if to < p.list.len() {
		next = makeCursor(p.seen.version, to)
		l.mu.Lock()
		l.paging = p // until the client begins another
		l.mu.Unlock()
		p.seen.list = false
	}
	return WithMeta(p.list.part(at, to, next), p.list.Meta), p.seen, true
}

// pagingOf finds the list of a version: the one that is being read, or, for
// clients whose requests aren't known to belong together, the current one.
func (l *Lens) pagingOf(version uint64) (paging, bool) {
	l.mu.Lock()
	p := l.paging
	l.mu.Unlock()
	if p.seen.version != version || p.list.Legacy == nil {
		p.list, p.seen = l.Listing()
	}
	return p, p.seen.version == version
}
