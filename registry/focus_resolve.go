package registry

import (
	"fmt"
	"slices"
	"strings"
	"webmcphub/registry/sanitize"
)

// ResolveBare finds the tool that a client in focus mode means by name, as
// [Resolve] does by full names. Seen is what the client was shown last, by
// tools/list or in the toolsAvailable of focus_tab and open_tab, or nil; now
// is what a list would show. The client's view is a tab's, so a name that it
// knows of one tab never reaches another tab's tool. The error's text is for
// the agent: what happened and what to do.
func ResolveBare(seen *FocusView, now FocusView, name string) (*HubTool, error) {
	current := now.lookup(name)
	var was *HubTool
	if seen != nil {
		was = seen.lookup(name)
	}
	switch {
	case was == nil && current == nil:
		return nil, fmt.Errorf("no tool is called %s%s", sanitize.Text(name, 200), now.advice(name))
	case was == nil:
		return current, nil // newer than the client's list, named explicitly
	case now.Tab == nil || now.Tab.Page != was.Route.Page:
		return nil, fmt.Errorf("%s", lostFocus(seen, now, was, current))
	}
	return resolveWithinTab(seen, now, was, current)
}

// resolveWithinTab is for the tools of a tab that is still the focused one.
func resolveWithinTab(seen *FocusView, now FocusView, was, current *HubTool) (*HubTool, error) {
	sameFrame := func(t *HubTool) bool { return sameTool(was, t) && t.Route.Frame == was.Route.Frame }
	if current != nil && sameFrame(current) {
		return current, nil
	}
	if i := slices.IndexFunc(now.Tools, sameFrame); i >= 0 {
		return now.Tools[i], nil // a clash came or went away
	}
	if current != nil && sameTool(was, current) && !tookOver(seen.Catalog, current) {
		return current, nil // a reloaded frame is a new one
	}
	why := now.whatBecame(seen, was)
	if current == nil {
		return nil, fmt.Errorf("%s is gone: %s%s", was.Name, why, now.advice(was.Name))
	}
	return nil, fmt.Errorf("%s: %s, so %s now names another tool; list the tools again", was.Name, why, was.Name)
}

// lostFocus says why a tool can't be called whose tab isn't focused any more.
func lostFocus(seen *FocusView, now FocusView, was, current *HubTool) string {
	tab := now.Catalog.Tab(was.Route.Page)
	switch {
	case now.State == Disconnected:
		return was.Name + " is gone" + now.advice(was.Name)
	case tab == nil || tab.crashed():
		why := now.whatBecame(seen, was)
		if current == nil {
			return was.Name + " is gone: " + why + now.advice(was.Name)
		}
		return fmt.Sprintf("%s is gone: %s. %s is focused now, whose %s is another tool: list the tools again and call that if you mean it.", was.Name, why, capital(tabText(now.Tab)), was.Name)
	}
	instead := "no tab is focused now"
	if now.Tab != nil {
		instead = tabText(now.Tab) + " is focused now"
	}
	if current != nil {
		instead += fmt.Sprintf(", whose %s is another tool", was.Name)
	}
	text := fmt.Sprintf("%s was not called: it is a tool of %s, and %s. Call focus_tab with tabId %d to go back to it", was.Name, tabText(tab), instead, tab.ID)
	if current != nil {
		text += ", or list the tools again and call the other if you mean that"
	}
	return text + "."
}

// whatBecame says why a tool that the client saw is no longer there.
func (v FocusView) whatBecame(seen *FocusView, was *HubTool) string {
	return whatBecame(v.Audience(), seen.Catalog, v.Catalog, was)
}

// advice ends a sentence that says that there is no such tool, and says what
// to do about it.
func (v FocusView) advice(name string) string {
	switch v.State {
	case Disconnected:
		status, to := v.Catalog.BrowserStatus(), v.Audience()
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
		return v.Audience().FocusedNotConnected(tabText(v.Tab))
	}
	var near []*HubTool
	for _, t := range v.Tools {
		if similarity(name, t) > 0 {
			near = append(near, t)
		}
	}
	slices.SortStableFunc(near, func(a, b *HubTool) int { return similarity(name, b) - similarity(name, a) })
	if len(near) == 0 {
		return fmt.Sprintf(". The focused tab is %s; list the tools again to see what it offers, or call list_tabs to see the others.", tabText(v.Tab))
	}
	var names []string
	for _, t := range near[:min(3, len(near))] {
		names = append(names, t.Name)
	}
	return ". The nearest that exist: " + strings.Join(names, ", ") + ". List the tools again to see all."
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func tabText(t *Tab) string { return fmt.Sprintf("tab %d (%s)", t.ID, sanitize.Text(t.URL, 200)) }
