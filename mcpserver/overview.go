package mcpserver

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// ClientState is what one client of the hub is like now.
type ClientState struct {
	Session  string
	Name     string // how it calls itself, or ""
	Revision string // of MCP; "" until it has said
	View     view.View
	Focus    registry.TabID // the tab that it has focused, or 0
	Lists    int            // how often it asked for its list of tools
	Unheard  bool           // it was told that its list has changed, and has not asked for it since
}

// number counts sessions: it ends their ids.
func (c ClientState) number() int {
	n, _ := strconv.Atoi(c.Session[strings.LastIndexByte(c.Session, '-')+1:])
	return n
}

// Clients are those that have a session, by the order in which they came. Any goroutine
// may call it.
func (s *Server) Clients() (all []ClientState) {
	s.sessions.each(func(sess *session) {
		c := sess.client
		if c.Sessionless {
			return
		}
		state := ClientState{Session: c.ID, Name: c.CallsItself(), View: c.Lens.View(), Unheard: c.Conn.Unheard()}
		state.Revision, state.Lists = c.Said()
		if shown, _ := c.Lens.Shown(); shown.Tab != nil {
			state.Focus = shown.Tab.ID
		}
		all = append(all, state)
	})
	slices.SortFunc(all, func(a, b ClientState) int {
		return cmp.Compare(a.number(), b.number())
	})
	return all
}

// Catalog is the current catalog, which the hub's own tools go by. Any goroutine may call it.
func (s *Server) Catalog() *registry.Catalog { return s.catalog() }

// Keeper is the session that keeps a tab to itself; "" if none does. Any goroutine may
// call it.
func (s *Server) Keeper(page registry.PageID) string { return s.calls.Leases.Holder(page) }

// revision is the one of MCP that the answer to an initialize settles on.
func revision(answer json.RawMessage) string {
	var said struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(answer, &said)
	return said.ProtocolVersion
}
