package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// ClientState describes one client of the hub at the moment.
type ClientState struct {
	Session    string
	Name       string // the name that the client gives itself, or ""
	Revision   string // the revision of MCP that it uses; "" if unknown yet
	View       view.Settings
	Focus      registry.TabID // the tab that it has focused, or 0
	Lists      int            // how often it requested its list of tools
	ListUnread bool           // a change of its list was announced, and it has not requested the list since
}

// Clients returns the clients that have a session, in the order in which they connected. Any goroutine may call it.
func (s *Server) Clients() (all []ClientState) {
	var sessions []*session
	s.sessions.each(func(sess *session) { sessions = append(sessions, sess) })
	slices.SortFunc(sessions, func(a, b *session) int { return cmp.Compare(a.number, b.number) })
	for _, sess := range sessions {
		c := sess.client
		if c.Sessionless {
			continue
		}
		state := ClientState{Session: c.ID, Name: c.CallsItself(), View: c.View.Settings(), ListUnread: c.Conn.ListUnread()}
		state.Revision, state.Lists = c.Usage()
		if shown, _ := c.View.Shown(); shown.Tab != nil {
			state.Focus = shown.Tab.ID
		}
		all = append(all, state)
	}
	return all
}

// Catalog returns the current catalog, which the hub's own tools use. Any goroutine may call it.
func (s *Server) Catalog() *registry.Catalog { return s.catalog() }

// Await returns the first catalog, beginning with the newest that all clients have been given, that satisfies the
// condition; nil when ctx ends. Any goroutine may call it.
func (s *Server) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	return s.current.Await(ctx, satisfied)
}

// ExclusiveHolder returns the session that keeps a tab to itself, or "". Any goroutine may call it.
func (s *Server) ExclusiveHolder(page registry.PageID) string { return s.calls.Leases.Holder(page) }

// revision returns the revision of MCP in an answer to initialize.
func revision(answer json.RawMessage) string {
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(answer, &result)
	return result.ProtocolVersion
}

// Stats says how much the server does for its clients.
type Stats struct {
	Clients  int // clients that have a session or a running request
	InFlight int // requests that are not answered yet
	Waiting  int // messages that wait for their client to read them
	Leases   int // tabs that clients keep to themselves
}

// Stats returns how much the server does for its clients now.
func (s *Server) Stats() (f Stats) {
	s.sessions.each(func(sess *session) {
		holds := sess.client.Conn.Holds()
		f.Clients++
		f.InFlight += holds.InFlight
		f.Waiting += holds.Waiting
	})
	f.Leases = s.calls.Leases.Held()
	return f
}
