package automate

import (
	"context"

	"webmcphub/automation"
	"webmcphub/automation/page"
	"webmcphub/automation/screencast"
	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// screenOpener returns a function that opens screens of a node's tabs.
func screenOpener(h ServiceHost, tools *automation.Service) OpenScreen {
	return func(ctx context.Context, tab *registry.Tab, own *api.OwnPage, held screencast.Held) (Screen, error) {
		access, err := h.Debug(tab.Page)
		if err != nil {
			return nil, err
		}
		rules := access.Origins
		if own != nil {
			rules = rules.WithOwn(names.NewOwn(own.Port, own.Hosts...))
		}
		s, err := screencast.Open(ctx, access.Conn, access.Target, screencast.Options{
			Rules: rules, Mac: access.Mac, Held: held,
			Page:    page.Options{Gone: access.Gone, Answered: access.Answered, Earlier: access.Earlier},
			Operate: tools.Lend(tab.Page, h.Current),
		})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}
