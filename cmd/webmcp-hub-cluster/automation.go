package main

import (
	"errors"
	"log/slog"

	"webmcphub/actors/tab"
	"webmcphub/automation"
	"webmcphub/cluster/automate"
	"webmcphub/mcpserver/calls"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/registry/names"
)

// nodeAutomation has the flags for browser tools on a node: whether clients of gateways may see and operate its pages.
type nodeAutomation struct {
	Automation    process.CategoriesFlag `placeholder:"CATEGORY,…" help:"Also carry out browser tools for gateways' clients: take_snapshot, click, fill, navigate_page and others. --automation all, --automation=input,navigation those of these categories: input, navigation, emulation, performance, network, debugging. Gateways need it, too."`
	ExclusiveTabs bool                   `help:"With --automation: refuse to operate a tab that another client opened or selected. Default: the result says so."`
}

func (f nodeAutomation) check() error {
	if f.ExclusiveTabs && f.Automation == "" {
		return errors.New("--exclusive-tabs goes with --automation only")
	}
	return nil
}

// dialogs returns the policy for dialogs of pages. No person sees the dialogs, so agents answer them if they have the
// tools to do so.
func (f nodeAutomation) dialogs() tab.DialogPolicy {
	if f.Automation.Has(automation.Input) {
		return tab.ReportDialogs
	}
	return tab.DismissDialogs
}

// serving returns the function that makes the node's browser tools, or nil if the node has none.
func (f nodeAutomation) serving(log *slog.Logger) func(node.Host) node.Automation {
	if f.Automation == "" {
		return nil
	}
	return func(h node.Host) node.Automation {
		return automate.NewService(automate.OfNode(h),
			automate.ServiceOptions{Categories: f.Automation.On(), ExclusiveTabs: f.ExclusiveTabs, Logger: log})
	}
}

// gatewayAutomation has the flag for the browser tools that a gateway offers to its clients.
type gatewayAutomation struct {
	Automation process.CategoriesFlag `placeholder:"CATEGORY,…" help:"Also offer the browser tools that nodes with --automation carry out: --automation all, --automation=input,navigation those of these categories."`
}

// offering returns the function that makes a tenant's browser tools, or nil if there are none. rules say which pages
// are closed to agents.
func (f gatewayAutomation) offering(rules *names.Origins) func(gateway.Nodes, string) calls.Automation {
	if f.Automation == "" {
		return nil
	}
	return func(n gateway.Nodes, tenant string) calls.Automation {
		return automate.NewTools(n, tenant, f.Automation.On(), rules)
	}
}
