package mcpserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// paging is a list that a client is reading page by page. The outbox keeps one
// for its client, so that the pages fit together whatever changes meanwhile.
type paging struct {
	list listing
	seen view
}

// cursors make and read cursors: which list of which process they are about,
// and where in it the next page begins.
type cursors struct{ process string }

func newCursors() cursors { return cursors{rand.Text()[:8]} }

func (c cursors) make(version uint64, at int) string {
	return fmt.Sprintf("%s.%d.%d", c.process, version, at)
}

func (c cursors) read(cursor string) (version uint64, at int, ok bool) {
	parts := strings.Split(cursor, ".")
	if len(parts) != 3 || parts[0] != c.process {
		return 0, 0, false
	}
	version, err := strconv.ParseUint(parts[1], 10, 64)
	at, err2 := strconv.Atoi(parts[2])
	return version, at, err == nil && err2 == nil && at > 0
}

// listPage gives the page of so many tools that begins at a cursor, or the
// first. Only who has read the last one has read the list.
func (s *session) listPage(cursor string, size int) (json.RawMessage, view, *jsonrpc.Error) {
	p, at := paging{}, 0
	if cursor == "" {
		p.list, p.seen = s.out.listing(s.server)
	} else {
		version, from, ok := s.server.cursors.read(cursor)
		if ok {
			p, ok = s.out.pagingOf(s.server, version)
		}
		if at = from; !ok || at >= p.list.len() {
			return nil, view{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has changed since it was given; ask for tools/list without a cursor again")
		}
	}
	to, next := min(at+size, p.list.len()), ""
	if to < p.list.len() {
		next = s.server.cursors.make(p.seen.version, to)
		s.out.keepPaging(p)
		p.seen.list = false
	}
	return p.list.part(at, to, next), p.seen, nil
}

// keepPaging keeps a list for the cursors into it, until the client begins
// another.
func (o *outbox) keepPaging(p paging) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.paging = p
}

// pagingOf finds the list of a version: the one that is being read, or, for
// clients whose requests aren't known to belong together, the current one.
func (o *outbox) pagingOf(s *Server, version uint64) (paging, bool) {
	o.mu.Lock()
	p := o.paging
	o.mu.Unlock()
	if p.seen.version != version || p.list.legacy == nil {
		p.list, p.seen = o.listing(s)
	}
	return p, p.seen.version == version
}
