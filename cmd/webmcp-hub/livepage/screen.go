package livepage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

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
	if o.ui.guard == nil {
		return all
	}
	for origin, permission := range o.ui.guard.Permissions() {
		all[origin] = string(permission)
	}
	return all
}

// Permit implements [live.Permitter].
func (o operated) Permit(origin, permission string) error {
	if o.ui.guard == nil {
		return errors.New("there are no permissions for sites here")
	}
	return o.ui.guard.Permit(origin, permission)
}

// tabOpener opens the pages by which agents operate tabs. The browser tools implement it if agents have them.
type tabOpener interface {
	OpenTab(ctx context.Context, client string, id registry.PageID, current func() *registry.Catalog) (*page.Page, error)
	ClientGone(client string)
}

var _ tabOpener = (*automation.Service)(nil)

// Lends notes which browser tools agents have, and returns them; tools is nil if they have none.
func (u *UI) Lends(tools calls.Automation) calls.Automation {
	if u != nil {
		u.opener, _ = tools.(tabOpener)
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
		Page: page.Options{Log: o.ui.log, Gone: access.Gone, Answered: access.Answered,
			Earlier: func() (cdpclient.OpenDialog, bool) { return o.hub.OpenDialog(tab.Page) }},
	}
	if from := o.ui.opener; from != nil {
		w.Operate = func(ctx context.Context) (*page.Page, func(), error) {
			client := fmt.Sprintf("%s-screen-%d", live.PersonSession, borrowers.Add(1))
			p, err := from.OpenTab(ctx, client, tab.Page, o.server.Catalog)
			if err != nil {
				from.ClientGone(client)
				return nil, nil, err
			}
			return p, func() { from.ClientGone(client) }, nil
		}
	}
	opened, err := screencast.Open(ctx, access.Conn, access.Target, w)
	if err != nil {
		return nil, err
	}
	return screen{opened}, nil
}

// borrowers counts the borrowers of pages, to name each one.
var borrowers atomic.Uint64

// held makes the live page and the audit log show that a person operates a tab.
func (o operated) held(tab *registry.Tab) screencast.Held {
	return Held(o.ui.Server, o.ui.called, tab)
}
