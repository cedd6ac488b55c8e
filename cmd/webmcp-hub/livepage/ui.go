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

// UI is the live page of a hub; nil means none.
type UI struct {
	*live.Server
	site *Site
	log  *slog.Logger

	// Both are set before the page is served.
	lender lender                     // may be nil
	called func(mcpserver.CallRecord) // records what the page's user did; may be nil
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
func (u *UI) Oversee(o *mcpserver.Oversight, t *trust.Options) {
	if u != nil {
		Oversee(u.Server, o, t)
	}
}

// Called sets the function that is told what the page's user does in a tab; it may be nil.
func (u *UI) Called(called func(mcpserver.CallRecord)) {
	if u != nil {
		u.called = called
	}
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
