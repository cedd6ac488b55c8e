package focus

import (
	"cmp"
	"encoding/json"

	"webmcphub/registry"

	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// NoBrowserFound is the error of connect_browser if there is no browser. NoBrowserInstructions says what an agent can
// do about it; ExtensionInstructions says that where browsers may connect by their extension.
const (
	NoBrowserFound        = "No browser found"
	NoBrowserInstructions = "Please open Chrome with remote debugging enabled (chrome://inspect/#remote-debugging), " +
		"or call with launch=true"
	ExtensionInstructions = "Please open Chrome with the WebMCP Hub extension enabled (webmcp-hub extension pair " +
		"says how) or with remote debugging enabled (chrome://inspect/#remote-debugging), or call with launch=true"
)

// ConnectedResult returns the answer to connect_browser; c is the browser's catalog.
func ConnectedResult(name, version string, c *registry.Catalog) registry.Result {
	type browser struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	return sanitize.StructuredResult(struct {
		Connected bool    `json:"connected"`
		Browser   browser `json:"browser"`
		TabCount  int     `json:"tabCount"`

		Browsers []registry.ListedBrowser `json:"browsers,omitempty"`
	}{true, browser{name, version}, len(openTabs(c)), registry.ListBrowsers(c.Browsers())})
}

// NotConnectedResult returns the answer to a connect_browser that failed. An empty why means [NoBrowserFound], and
// empty instructions mean [NoBrowserInstructions].
func NotConnectedResult(why, instructions string) registry.Result {
	return sanitize.StructuredError(struct {
		Connected    bool   `json:"connected"`
		Error        string `json:"error"`
		Instructions string `json:"instructions"`
	}{false, cmp.Or(why, NoBrowserFound), cmp.Or(instructions, NoBrowserInstructions)})
}

// tabJSON is a tab in the results of open_tab and focus_tab.
type tabJSON struct {
	ID      registry.TabID `json:"id"`
	Browser string         `json:"browser,omitempty"` // if there are several
	Title   string         `json:"title"`
	URL     string         `json:"url"`
}

func newTabJSON(t *registry.Tab) tabJSON {
	return tabJSON{t.ID, t.Browser, t.ShownTitle(256), t.Address.Shown(2048)}
}

// ListTabsResult returns the answer to list_tabs for a client that sees all tabs; focused is a tab of c, or nil.
func ListTabsResult(c *registry.Catalog, focused *registry.Tab) registry.Result {
	return listTabs(c, focused, registry.VisibleTools{Connect: true})
}

// ListTabs returns the same as [ListTabsResult], for a client in focus mode.
func (v View) ListTabs() registry.Result { return listTabs(v.Catalog, v.Tab, v.VisibleTools()) }

func listTabs(c *registry.Catalog, focused *registry.Tab, to registry.VisibleTools) registry.Result {
	type listed struct {
		tabJSON
		Focused   bool `json:"focused"`
		ToolCount int  `json:"toolCount"`
		Tokens    int  `json:"tokens,omitempty"`
		// State says what is wrong with the tab, or which dialog is open in it.
		State string `json:"state,omitempty"`
	}
	r := struct {
		Tabs         []listed        `json:"tabs"`
		FocusedTabID *registry.TabID `json:"focusedTabId"`

		Browsers []registry.ListedBrowser `json:"browsers,omitempty"`
	}{Tabs: []listed{}, Browsers: registry.ListBrowsers(c.Browsers())}
	for _, t := range openTabs(c) {
		is := focused != nil && t.Page == focused.Page
		if is {
			r.FocusedTabID = &t.ID
		}
		state := sanitize.Text(to.State(t.Condition()), 400)
		if t.Address.KeptOut() {
			state = registry.KeptOut
		}
		r.Tabs = append(r.Tabs, listed{newTabJSON(t), is, len(t.Tools), tokensOf(t.Tools), state})
	}
	return sanitize.StructuredResult(r)
}

// tokensOf estimates how many tokens tools cost in a list. Each tool is counted at the first request: that takes 4
// µs, and the storms of changes that pages can cause needn't pay for it.
func tokensOf(tools []*registry.HubTool) (n int) {
	for _, t := range tools {
		n += t.Cost(tokencount.Estimate[json.RawMessage])
	}
	return n
}

const (
	stillLoading = "is still loading, so whether it loads isn't known yet: list_tabs says if it didn't, and its " +
		"tools show when they are there"
	toolsToCome  = "is still loading: its tools show when they are there"
	initializing = "has an MCP server that has not answered initialize yet: its tools show when it has"
	notSaid      = "has no tools so far; its browser's extension doesn't say whether it is still loading: tools that " +
		"come later show then"
)

// OpenTabResult returns the answer to open_tab; tools are those of the new tab that the client sees, so none unless
// the tab is focused.
func OpenTabResult(t *registry.Tab, focused bool, tools []*registry.HubTool) registry.Result {
	if !focused {
		tools = nil
	}
	state := ""
	switch none := focused && len(t.Tools) == 0 && t.State == ""; {
	case t.Loading():
		state = stillLoading
	case none && t.Readiness == registry.StillLoading:
		state = toolsToCome
	case none && t.Readiness == registry.Initializing:
		state = initializing
	case none && t.Readiness == registry.ReadinessUnknown:
		state = notSaid
	}
	return sanitize.StructuredResult(struct {
		Tab            tabJSON  `json:"tab"`
		Focused        bool     `json:"focused"`
		ToolsAvailable []string `json:"toolsAvailable"`
		State          string   `json:"state,omitempty"`
	}{newTabJSON(t), focused, toolNames(tools), state})
}

// FocusTabResult returns the answer to focus_tab; tools are the tab's, as the client sees them.
func FocusTabResult(t *registry.Tab, tools []*registry.HubTool) registry.Result {
	return sanitize.StructuredResult(struct {
		Success        bool     `json:"success"`
		Tab            tabJSON  `json:"tab"`
		ToolsAvailable []string `json:"toolsAvailable"`
	}{true, newTabJSON(t), toolNames(tools)})
}

// CloseTabResult returns the answer to close_tab.
func CloseTabResult(id registry.TabID) registry.Result {
	return sanitize.StructuredResult(struct {
		Closed bool           `json:"closed"`
		TabID  registry.TabID `json:"tabId"`
	}{true, id})
}

func toolNames(tools []*registry.HubTool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}
