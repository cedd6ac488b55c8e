package focus

import (
	"fmt"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// ResolveBare returns the tool that a client in focus mode means by name, as [registry.Resolve] does for full names.
// seen is what the client saw last, in tools/list or in the toolsAvailable of focus_tab and open_tab, or nil; now is
// what a list would show. A view belongs to one tab, so a name that the client knows from one tab never reaches
// another tab's tool. The error says, for the agent, what happened and what to do.
func ResolveBare(seen *View, now View, name string) (*registry.HubTool, error) {
	var before *offer.Names[*registry.HubTool]
	if seen != nil {
		before = seen.names()
	}
	is, was, current := offer.Meaning(before, *now.names(), name)
	switch {
	case is != nil:
		return is, nil
	case was == nil:
		return nil, fmt.Errorf("no tool is called %s%s", sanitize.Text(name, 200), now.advice(name))
	case now.Tab == nil || now.Tab.Page != was.Route.Page:
		return nil, fmt.Errorf("%s", lostFocus(seen, now, was, current))
	case current == nil:
		return nil, fmt.Errorf("%s is gone: %s%s", was.Name, now.whatBecame(seen, was), now.advice(was.Name))
	}
	return nil, fmt.Errorf("%s: %s, so %s now names another tool; list the tools again", was.Name,
		now.whatBecame(seen, was), was.Name)
}

// names returns what names mean in the view.
func (v View) names() *offer.Names[*registry.HubTool] {
	return &offer.Names[*registry.HubTool]{Find: v.lookup, Of: func(page registry.PageID) []*registry.HubTool {
		if v.Tab == nil || v.Tab.Page != page {
			return nil
		}
		return v.Tools
	}}
}

// lostFocus says why a client can't call a tool of a tab that is no longer focused.
func lostFocus(seen *View, now View, was, current *registry.HubTool) string {
	tab := now.Catalog.Tab(was.Route.Page)
	switch {
	case now.State == Disconnected:
		return was.Name + " is gone" + now.advice(was.Name)
	case tab == nil || tab.Crashed():
		why := now.whatBecame(seen, was)
		if current == nil {
			return was.Name + " is gone: " + why + now.advice(was.Name)
		}
		return fmt.Sprintf("%s is gone: %s. %s is focused now, whose %s is another tool: list the tools again and "+
			"call that if you mean it.", was.Name, why, capital(tabText(now.Tab)), was.Name)
	}
	instead := "no tab is focused now"
	if now.Tab != nil {
		instead = tabText(now.Tab) + " is focused now"
	}
	if current != nil {
		instead += fmt.Sprintf(", whose %s is another tool", was.Name)
	}
	text := fmt.Sprintf("%s was not called: it is a tool of %s, and %s. Call focus_tab with tabId %d to go back to it",
		was.Name, tabText(tab), instead, tab.ID)
	if current != nil {
		text += ", or list the tools again and call the other if you mean that"
	}
	return text + "."
}

// whatBecame says why a tool that the client saw is no longer there.
func (v View) whatBecame(seen *View, was *registry.HubTool) string {
	return registry.WhatBecame(v.VisibleTools(), seen.Catalog, v.Catalog, was)
}

// advice returns the end of a sentence that says that there is no such tool. It says what to do.
func (v View) advice(name string) string {
	switch v.State {
	case Disconnected:
		status, to := v.Catalog.BrowserStatus(), v.VisibleTools()
		if status == "" && to.Browser {
			return to.ConnectFirst("") + ": without it no page's tools can be called."
		}
		return to.ConnectFirst(status) + "."
	case NoTabs:
		return ". No tab is open: call open_tab first."
	case NoneFocused:
		return ". No tab is focused: call list_tabs to see the tabs, then focus_tab."
	}
	if !v.Tab.Connected() {
		return v.VisibleTools().FocusedNotConnected(tabText(v.Tab))
	}
	if near := registry.Nearest(name, v.Tools); near != "" {
		return ". " + near
	}
	return fmt.Sprintf(". The focused tab is %s; list the tools again to see what it offers, or call list_tabs to "+
		"see the others.", tabText(v.Tab))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func tabText(t *registry.Tab) string {
	return fmt.Sprintf("tab %d (%s)", t.ID, t.Address.Shown(200))
}
