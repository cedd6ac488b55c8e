package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// View is what one client sees of the hub, and how. Clients of one hub may have
// different views.
type View struct {
	Mode        Mode          `json:"mode"`        // which tools the client sees
	CallTimeout time.Duration `json:"callTimeout"` // of its calls; negative means no limit
	MaxName     int           `json:"maxName"`     // of a tool, in bytes
	ListPage    int           `json:"listPage"`    // tools in one page of tools/list; 0 lists all at once
	FollowUser  bool          `json:"followUser"`  // its focus follows the user to another tab
	Unlisted    bool          `json:"unlisted"`    // page tools are not listed as tools of their own
}

// Limits of what a view may ask for.
const (
	maxViewName    = 128
	maxViewTimeout = 24 * time.Hour
)

// Validate says what is wrong with a view that comes from another process.
func (v View) Validate() error {
	switch {
	case v.Mode != AllTabs && v.Mode != FocusedTab:
		return fmt.Errorf("there is no mode %q", cut(string(v.Mode), 40))
	case v.CallTimeout == 0 || v.CallTimeout > maxViewTimeout:
		return fmt.Errorf("calls can't have %v", v.CallTimeout)
	case v.MaxName < names.MinMaxName || v.MaxName > maxViewName:
		return fmt.Errorf("tool names must be given from %d to %d bytes, not %d", names.MinMaxName, maxViewName, v.MaxName)
	case v.ListPage < 0:
		return fmt.Errorf("a list can't have pages of %d tools", v.ListPage)
	case v.FollowUser && v.Mode != FocusedTab:
		return fmt.Errorf("only a client in focus mode has a focus that can follow the user")
	}
	return nil
}

// view is that of clients that bring none of their own.
func (o Options) view() View {
	return View{Mode: o.Mode, CallTimeout: o.CallTimeout, MaxName: cmp.Or(o.MaxName, names.DefaultMaxName), ListPage: o.ListPage, FollowUser: o.FollowUser, Unlisted: o.Unlisted}
}

// sight is how the client looks at catalogs.
func (s *Server) sight(v View) registry.Sight {
	sight := registry.Sight{Unlisted: v.Unlisted}
	if v.Mode == AllTabs && v.MaxName < s.options.view().MaxName { // in focus mode names are made for the client anyway
		sight.MaxName = v.MaxName
	}
	return sight
}

// ServeView is [Server.ServeStdio] for a client with a view of its own, which
// is a valid one. What comes from listed switches the listing of page tools on
// and off for this client; it may be nil.
func (s *Server) ServeView(ctx context.Context, v View, listed <-chan bool, in io.Reader, out io.Writer) error {
	return s.serveStream(ctx, v, true, listed, in, out)
}

// ListPageTools switches the listing of page tools on or off, for the clients
// that have no view of their own.
func (s *Server) ListPageTools(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlisted = !on
	for sess := range s.sessions {
		if !sess.ownView {
			sess.list(on)
		}
	}
}

// list switches the listing of page tools on or off for one client.
func (s *session) list(on bool) { s.out.list(s.server, on) }

// list changes the client's sight.
func (o *outbox) list(s *Server, on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.view.Unlisted == !on {
		return
	}
	o.view.Unlisted = !on
	l := &o.lens
	l.sight = s.sight(o.view)
	l.now, l.shown = s.current.Load().as(l.sight), nil
	changed := o.follow()
	switch {
	case l.mode == FocusedTab && changed:
		o.listChanged(nil, l.version, nil)
	case l.mode == AllTabs:
		o.views.lookOtherwise(l.sight)
		o.listChanged(nil, l.now.catalog.Version(), nil)
	}
}

// as is the same catalog as a client of that sight sees it.
func (s *served) as(sight registry.Sight) *served {
	if sight == (registry.Sight{}) {
		return s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.others[sight]; other != nil {
		return other
	}
	other := s
	if seen := s.catalog.As(sight); seen != s.catalog {
		other = newServed(seen, s.static)
		other.replaced = s.replaced
	}
	if s.others == nil {
		s.others = map[registry.Sight]*served{}
	}
	if len(s.others) < maxSights {
		s.others[sight] = other
	}
	return other
}

// maxSights is how many sights of one catalog are kept: there are no more
// processes that join a hub.
const maxSights = 100

// served is the current catalog as a client sees it; o may be nil.
func (s *Server) servedTo(o *outbox) *served {
	now := s.current.Load()
	if o == nil {
		return now
	}
	o.mu.Lock()
	sight := o.lens.sight
	o.mu.Unlock()
	return now.as(sight)
}

// viewOf is a client's view; o may be nil.
func (s *Server) viewOf(o *outbox) View {
	if o == nil {
		return s.options.view()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.view
}

// ownInstructions puts those that go with a client's view into the answer to
// initialize or server/discover.
func (s *session) ownInstructions(answer reply) reply {
	o := s.server.options
	v := s.server.viewOf(s.out)
	if answer.err != nil || v.Mode == o.Mode {
		return answer
	}
	var result map[string]json.RawMessage
	if json.Unmarshal(answer.result, &result) == nil && result["instructions"] != nil {
		o.Mode = v.Mode
		result["instructions"] = jsonrpc.MustEncode(instructions(o))
		answer.result = jsonrpc.MustEncode(result)
	}
	return answer
}
