package focus

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// RefuseCoreTool says why a client in state s can't call a core tool, which the client may know from an old list. It
// returns nil if the client can call it. to says which of the hub's tools the error may name.
func RefuseCoreTool(s State, c *registry.Catalog, tool string, to registry.VisibleTools) error {
	switch {
	case slices.Contains(s.CoreTools(), tool):
		return nil
	case tool == ConnectBrowser:
		next := "Call list_tabs to see its tabs, or open_tab."
		if s == NoTabs {
			next = "Call open_tab to open a page."
		}
		return fmt.Errorf("the browser is connected already. %s", next)
	case s == Disconnected && c.BrowserStatus() == "":
		return fmt.Errorf("%s can't be called before the browser is connected%s", tool, to.ConnectFirst(""))
	case s == Disconnected:
		return fmt.Errorf("%s can't be called now%s", tool, to.ConnectFirst(c.BrowserStatus()))
	case s == NoTabs:
		return fmt.Errorf("%s can't be called while no tab is open. Call open_tab first", tool)
	}
	return fmt.Errorf("%s can't be called while no tab is focused. Call list_tabs to see the tabs, then focus_tab",
		tool)
}

// FindTab returns the open tab that an agent means by a tabId, which may be any JSON number. The error's text is for
// the agent.
func FindTab(c *registry.Catalog, id float64) (*registry.Tab, error) {
	for _, t := range c.Tabs() {
		switch {
		case float64(t.ID) == id && t.Crashed():
			return nil, fmt.Errorf("%s crashed and has no tools. Once the user reloads it, it is listed again; call "+
				"open_tab to open its page anew", tabText(t))
		case float64(t.ID) == id:
			return t, nil
		}
	}
	format := byte('f')
	if id != math.Trunc(id) || math.Abs(id) > 1e15 {
		format = 'g'
	}
	number := strconv.FormatFloat(id, format, -1, 64)
	open := openTabs(c)
	if len(open) == 0 {
		return nil, fmt.Errorf("there is no tab %s: no tab is open. Call open_tab to open one", number)
	}
	list := sanitize.List(open, 20,
		func(t *registry.Tab) string { return fmt.Sprintf("%d (%s)", t.ID, t.Address.Shown(100)) })
	return nil, fmt.Errorf("there is no tab %s; if there was one, it was closed. Open tabs: %s. Call list_tabs for "+
		"what they show", number, list)
}

// FindTabToClose does the same as [FindTab] for close_tab, where no id means the focused tab.
func FindTabToClose(c *registry.Catalog, focused *registry.Tab, id *float64) (*registry.Tab, error) {
	switch {
	case id != nil:
		return FindTab(c, *id)
	case focused == nil:
		return nil, fmt.Errorf("no tab is focused, so which to close isn't known. Give tabId (list_tabs tells the " +
			"ids), or call focus_tab first")
	}
	return focused, nil
}
