package livepage

import (
	"context"
	"log/slog"

	"webmcphub/actors"

	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/registry/names"
	"webmcphub/trust"
)

// UI is the live page of a hub; nil is none.
type UI struct {
	*live.Server
	site *Site
	log  *slog.Logger

	// Set before it is served.
	lender lender                     // may be nil
	called func(mcpserver.CallRecord) // writes down what its user did; may be nil
}

// Open listens; it gives nil where there is to be no page.
func OpenUI(f UIFlags, log *slog.Logger) (*UI, error) {
	site, err := f.Open(log)
	if site == nil {
		return nil, err
	}
	return &UI{Server: site.Page(""), site: site, log: log}, nil
}

// IsAbout says the address of the one page that the hub is for.
func (u *UI) IsAbout(page string) { u.site.About = page }

// KeptOut are rules for sites that keep agents from the page besides.
func (u *UI) KeptOut(o *names.Origins) *names.Origins {
	if u == nil {
		return o
	}
	return u.site.KeptOut(o)
}

// Oversee has the page watch calls and ask its user, and refuse what is paused.
func (u *UI) Oversee(o *mcpserver.Oversight, t *trust.Options) {
	if u != nil {
		Oversee(u.Server, o, t)
	}
}

// Called says who is told of what the page's user does in a tab; nil is nobody.
func (u *UI) Called(called func(mcpserver.CallRecord)) {
	if u != nil {
		u.called = called
	}
}

// Close is for a page that was not served; u may be nil.
func (u *UI) Close() {
	if u != nil {
		u.Server.Close()
	}
}

// Beside serves the page of a hub until the returned function is called, which waits for
// the end. u may be nil.
func (u *UI) Beside(ctx context.Context, hub *actors.Hub, server *mcpserver.Server, version string) (stop func()) {
	if u == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	person := NewHub(ctx, server, hub, version)
	unshow := u.Show(ctx, operated{person, u, hub, server})
	unserve := u.site.Beside(ctx)
	return func() {
		unserve()
		unshow()
		cancel()
		person.End()
	}
}
