package automate

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"webmcphub/automation"
	"webmcphub/automation/page"
	"webmcphub/automation/screencast"
	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Debugger hands out access to tabs.
type Debugger interface {
	Debug(id registry.PageID) (automation.Access, error)
}

// TabOpener gives the pages by which agents operate tabs: a person's input takes its turn with theirs.
type TabOpener interface {
	OpenTab(ctx context.Context, client string, id registry.PageID, current func() *registry.Catalog) (*page.Page,
		error)
	ClientGone(client string)
}

// borrowers counts those to whom pages are lent.
var borrowers atomic.Uint64

// ScreenOpener looks at a node's tabs.
func ScreenOpener(d Debugger, h ScreenHost, from TabOpener, log *slog.Logger) OpenScreen {
	return func(ctx context.Context, tab *registry.Tab, own *api.OwnPage, held screencast.Held) (Screen, error) {
		access, err := d.Debug(tab.Page)
		if err != nil {
			return nil, err
		}
		rules := access.Origins
		if own != nil {
			rules = rules.WithOwn(names.NewOwn(own.Port, own.Hosts...))
		}
		s, err := screencast.Open(ctx, access.Conn, access.Target, screencast.Options{
			Rules: rules, Mac: access.Mac, Held: held,
			Page: page.Options{Log: log, Gone: access.Gone, Answered: access.Answered, Earlier: access.Earlier},
			Operate: func(ctx context.Context) (*page.Page, func(), error) {
				client := fmt.Sprintf("person-screen-%d", borrowers.Add(1)) // gateways' clients have a space in their names
				p, err := from.OpenTab(ctx, client, tab.Page, h.Current)
				if err != nil {
					from.ClientGone(client)
					return nil, nil, err
				}
				return p, func() { from.ClientGone(client) }, nil
			},
		})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}
