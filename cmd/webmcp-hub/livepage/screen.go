package livepage

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"webmcphub/actors"
	"webmcphub/automation"
	"webmcphub/automation/page"
	"webmcphub/automation/screencast"
	"webmcphub/mcpserver/calls"

	"webmcphub/cdpclient"
	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/registry"
)

// operated is the hub as the live page sees it. It is a [live.Screener], too.
type operated struct {
	*Hub
	ui     *UI
	hub    *actors.Hub
	server *mcpserver.Server
}

var (
	_ live.Screener  = operated{}
	_ live.Permitter = operated{}
)

// Permissions implements [live.Permitter].
func (o operated) Permissions() map[string]string {
	all := map[string]string{}
	if o.ui.Guard == nil {
		return all
	}
	for origin, permission := range o.ui.Guard.Permissions() {
		all[origin] = string(permission)
	}
	return all
}

// Permit implements [live.Permitter].
func (o operated) Permit(origin, permission string) error {
	if o.ui.Guard == nil {
		return errors.New("there are no permissions for sites here")
	}
	return o.ui.Guard.Permit(origin, permission)
}

// lender lends persons the pages by which agents operate tabs. The hub's browser tools implement it.
type lender interface {
	Lend(id registry.PageID, current func() *registry.Catalog) func(context.Context) (*page.Page, func(), error)
}

var _ lender = (*automation.Service)(nil)

// Lends notes the hub's browser tools, and returns them.
func (u *UI) Lends(tools calls.Automation) calls.Automation {
	if u != nil {
		u.lender = tools.(lender)
	}
	return tools
}

// screen is a tab as the live page shows it.
type screen struct{ *screencast.Screen }

func (s screen) Next(ctx context.Context) (live.Shown, error) {
	v, err := s.Screen.Next(ctx)
	return live.Shown{Picture: v.Picture, Hidden: v.Hidden, Note: v.Note, State: string(v.State), Document: v.Document},
		err
}

// Screen implements [live.Screener].
func (o operated) Screen(ctx context.Context, tab *registry.Tab) (live.Screen, error) {
	access, err := o.hub.DebugAccess(tab.Page)
	if err != nil {
		return nil, err
	}
	w := screencast.Options{
		Rules: cmp.Or(access.Origins, tab.Rules(), o.ui.KeptOut(nil)), Mac: runtime.GOOS == "darwin", Held: o.held(tab),
		Page: page.Options{Gone: access.Gone, Answered: access.Answered,
			Earlier: func() (cdpclient.OpenDialog, bool) { return o.hub.OpenDialog(tab.Page) }},
	}
	if o.ui.lender != nil {
		w.Operate = o.ui.lender.Lend(tab.Page, o.server.Catalog)
	}
	opened, err := screencast.Open(ctx, access.Conn, access.Target, w)
	if err != nil {
		return nil, err
	}
	return screen{opened}, nil
}

// held makes the live page and the audit log show that a person operates a tab.
func (o operated) held(tab *registry.Tab) screencast.Held {
	return Held(o.ui.Server, o.ui.Called, tab)
}
