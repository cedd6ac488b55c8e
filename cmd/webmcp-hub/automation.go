package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"

	"webmcphub/automation"

	"webmcphub/cdpclient"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// automationFlags say whether agents may see and operate pages themselves. They belong to the hub: a process with
// other values doesn't join it, so no client gets browser tools that its own flags don't name (see share.Options).
type automationFlags struct {
	Automation    process.CategoriesFlag `group:"common" placeholder:"CATEGORY,…" help:"Also offer browser tools, with the names that chrome-devtools-mcp has: take_snapshot, click, fill, navigate_page and others. --automation offers all, --automation=input,navigation those of these categories: input, navigation, emulation, performance, network, debugging. Pages' own tools are safer: the page's author has decided what they can do."`
	ExclusiveTabs bool                   `help:"With --automation: refuse to operate a tab that another client opened or selected. Default: the result says so."`
}

func (f automationFlags) validate(n offer.Naming) error {
	switch {
	case f.Automation != "" && n == offer.MCPBNames:
		return fmt.Errorf("--automation and --naming=mcpb exclude each other: with MCP-B's names, agents reach pages " +
			"by the pages' own tools only")
	case f.ExclusiveTabs && f.Automation == "":
		return fmt.Errorf("--exclusive-tabs goes with --automation only")
	}
	return nil
}

// browserTools is the [calls.Automation] of an automation.Service.
type browserTools struct{ *automation.Service }

// newBrowserTools returns the browser tools that the flags ask for, or nil if they ask for none. The hub may start
// later. several is as in [automation.Options].
func newBrowserTools(f automationFlags, several bool, hub *reach, origins *names.Origins,
	log *slog.Logger) calls.Automation {
	on := f.Automation.On()
	if on == nil {
		return nil
	}
	return &browserTools{automation.New(automation.Options{
		Browser:       debugged{hub},
		Categories:    on,
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

func (b *browserTools) Tools() (all []calls.AutomationTool) {
	for _, t := range b.Service.Tools() {
		all = append(all, calls.AutomationTool{Name: t.Name, Input: t.Input, Encoded: t.Encoded(),
			Class: effects(t.Effect), Tabs: t.Tabs, Arguments: t.Arguments})
	}
	return all
}

// stages maps automation's stages of actions to those of package calls.
var stages = map[automation.Stage]calls.Stage{automation.StageBegin: calls.StageBegin,
	automation.StageEnter: calls.StageEnter,
	automation.StageAct:   calls.StageAct, automation.StageRead: calls.StageRead,
	automation.StageFollow: calls.StageFollow}

// judge returns a function that passes on what automation is about to do to c.Judge; nil if c has none.
func judge(c calls.AutomationCall) func(context.Context, automation.Action) error {
	if c.Judge == nil {
		return nil
	}
	return func(ctx context.Context, d automation.Action) error {
		return c.Judge(ctx, calls.AutomationAction{
			Tab: d.Tab, Frame: d.Frame, Around: d.Around, To: d.To, Emulated: d.Emulated, Stage: stages[d.Stage],
			Anywhere: d.Anywhere, On: d.On,
		})
	}
}

func (b *browserTools) Call(ctx context.Context, c calls.AutomationCall) registry.Result {
	return b.Service.Call(ctx, automation.Call{
		Tool: c.Name, Args: c.Args,
		Client: automation.Client{
			ID: c.Session, Name: c.Client, FocusMode: c.FocusMode,
			Current: c.Current, Catalog: c.Catalog, Await: c.Await, Refusal: c.Refusal, Focused: c.Focused,
			Roots: c.Roots,
		},
		Progress: c.Progress, About: c.About, Judge: judge(c), Reads: c.Reads,
	}).Encode()
}

// effects returns the class of a browser tool with this effect.
func effects(e automation.Effect) calls.Class {
	switch {
	case e == automation.Reads:
		return calls.ReadOnly
	case e >= automation.Acts:
		return calls.Destructive
	}
	return calls.Unknown
}
