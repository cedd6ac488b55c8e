package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"

	"webmcphub/automation"
	"webmcphub/internal/browsertool"

	"webmcphub/cdpclient"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// automationFlags say whether agents may see and operate pages themselves. No client gets browser tools that its own
// flags don't name.
type automationFlags struct {
	Automation    process.CategoriesFlag `view:"" group:"common" placeholder:"CATEGORY,…" help:"Also offer browser tools, with the names that chrome-devtools-mcp has: take_snapshot, click, fill, navigate_page and others. --automation offers all, --automation=input,navigation those of these categories: input, navigation, emulation, performance, network, debugging. Pages' own tools are safer: the page's author has decided what they can do."`
	ExclusiveTabs bool                   `help:"Refuse browser tools that operate a tab that another client opened or selected. Default: the result says so."`
}

func (f automationFlags) validate(n offer.Naming) error {
	if f.Automation != "" && n == offer.MCPBNames {
		return fmt.Errorf("--automation and --naming=mcpb exclude each other: with MCP-B's names, agents reach pages " +
			"by the pages' own tools only")
	}
	return nil
}

// browserTools is the [calls.Automation] of an automation.Service.
type browserTools struct{ *automation.Service }

// newBrowserTools returns the browser tools of all categories, because clients of other processes may have others than
// this one's. The hub may start later. several is as in [automation.Options].
func newBrowserTools(f automationFlags, several bool, hub *reach, origins *names.Origins,
	log *slog.Logger) calls.Automation {
	return &browserTools{automation.New(automation.Options{
		Browser:       debugged{hub},
		Categories:    automation.Categories(),
		Several:       several,
		ExclusiveTabs: f.ExclusiveTabs,
		Origins:       origins,
		Logger:        log,
	})}
}

// debugged is the hub as package automation sees it.
type debugged struct{ *reach }

func (d debugged) Debug(id registry.PageID) (automation.Access, error) {
	a, err := d.AutomationAccess(id)
	return automation.Access{
		Conn: a.Conn, Target: a.Target, PageOf: a.PageOf, Origins: a.Origins, Gone: a.Gone, Answered: a.Answered,
		Mac: runtime.GOOS == "darwin", Earlier: func() (cdpclient.OpenDialog, bool) { return d.OpenDialog(id) },
	}, err
}

func (d debugged) Debuggable(id registry.PageID) (ported bool, err error) { return d.CanAutomate(id) }

func (b *browserTools) Tools(categories string) (all []browsertool.Tool) {
	on := process.CategoriesFlag(categories).On()
	for _, t := range b.Service.Tools() {
		if slices.Contains(on, t.Category) {
			all = append(all, t.Offered())
		}
	}
	return all
}

func (b *browserTools) Call(ctx context.Context, c browsertool.Call) registry.Result {
	return b.Service.Call(ctx, c).Encode()
}
