package livepage

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"webmcphub/actors"

	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust"
)

// UI is the live page of a hub; nil means none.
type UI struct {
	*live.Server
	site *Site
	log  *slog.Logger
	once sync.Once // guards the opening of the page for its first question

	// OpensItself says that the page opens in the user's browser when the first question comes to it. Set it before
	// Oversee.
	OpensItself bool

	// These are set before the page is served.
	Guard  *trust.Guard       // has the permissions for sites; nil means that there are none
	Called func(calls.Record) // records what the page's user does in a tab; may be nil
	lender lender             // set by Lends, before the hub starts; nil means that no agent operates tabs
}

// OpenUI listens. It returns nil if the flags ask for no live page.
func OpenUI(f UIFlags, log *slog.Logger) (*UI, error) {
	site, err := f.Open(log)
	if site == nil {
		return nil, err
	}
	return &UI{Server: site.Page(""), site: site, log: log}, nil
}

// IsAbout says that the hub is for one page only, and which address that has.
func (u *UI) IsAbout(page string) { u.site.About = page }

// KeptOut returns o with rules that also keep agents from the live page.
func (u *UI) KeptOut(o *names.Origins) *names.Origins {
	if u == nil {
		return o
	}
	return u.site.KeptOut(o)
}

// Oversee makes the page watch calls, ask its user, and refuse what is paused.
func (u *UI) Oversee(o *calls.Oversight, t *trust.Options) {
	if u == nil {
		return
	}
	Oversee(u.Server, o, t)
	if ask := o.Person; u.OpensItself {
		o.Person = func(ctx context.Context, q calls.Question) (json.RawMessage, error) {
			u.once.Do(func() {
				if err := Browse(u.site.Link()); err != nil {
					u.log.Warn("the live page could not be opened; \"webmcp-hub ui\" opens it", "err", err)
				}
			})
			return ask(ctx, q)
		}
	}
}

// Pauses returns what the page's user has paused. If u is nil, nothing is paused yet, and no page can do that.
func (u *UI) Pauses() *live.Pauses {
	if u == nil {
		return &live.Pauses{}
	}
	return &u.Server.Pauses
}

// Close closes a page that was never served; u may be nil.
func (u *UI) Close() {
	if u != nil {
		u.Server.Close()
	}
}

// Beside serves the page of a hub until the returned function is called; that function waits for the end. u may be
// nil.
func (u *UI) Beside(ctx context.Context, hub *actors.Hub, server *mcpserver.Server, version string) (stop func()) {
	if u == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	asHub := NewHub(ctx, server, hub, version)
	unshow := u.Show(ctx, operated{asHub, u, hub, server})
	unserve := u.site.Beside(ctx)
	return func() {
		unserve()
		unshow()
		cancel()
		asHub.End()
	}
}
