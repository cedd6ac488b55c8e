package focus

import (
	"slices"

	"webmcphub/registry"
)

// State is the state of one client in focus mode.
type State int

// These are the states of focus mode, each with the core tools that it shows.
const (
	Disconnected State = iota // connect_browser
	NoTabs                    // list_tabs, open_tab
	NoneFocused               // list_tabs, open_tab, focus_tab
	TabFocused                // these, close_tab, and the focused tab's own tools
)

func (s State) String() string {
	switch s {
	case NoTabs:
		return "CONNECTED (no tabs)"
	case NoneFocused:
		return "CONNECTED (tabs exist, none focused)"
	case TabFocused:
		return "TAB FOCUSED"
	}
	return "DISCONNECTED"
}

// CoreTools returns the names of the core tools that the state shows, sorted.
func (s State) CoreTools() []string {
	switch s {
	case NoTabs:
		return []string{ListTabs, OpenTab}
	case NoneFocused:
		return []string{FocusOnTab, ListTabs, OpenTab}
	case TabFocused:
		return []string{CloseTab, FocusOnTab, ListTabs, OpenTab}
	}
	return []string{ConnectBrowser}
}

// Focus is what one client has chosen to see in focus mode. The zero value is not connected. Its owner must call Step
// for every catalog that is served, because a catalog that Step didn't get can't take the client's focus away.
type Focus struct {
	// MaxName is the longest tool name in bytes, as [registry.Options.MaxName].
	MaxName int
	// For says which tools help the client when focus mode shows them.
	For registry.VisibleTools
	// Reserved are names that no page's tool may have, besides the hub's usual ones.
	Reserved []string

	connected bool
	page      registry.PageID // "" means none
	awaited   registry.PageID // gets the focus as soon as a catalog has it

	shownState State // after the last step
	shownTab   *registry.Tab
}

// Event is a fact that the caller tells [Focus.Step].
type Event interface{ focusEvent() }

// Connect says that connect_browser succeeded. The catalog given to Step must be one of the connected browser, since
// any other disconnects again.
type Connect struct{}

// Disconnect says that the client let go of the browser.
type Disconnect struct{}

// CatalogChanged says that the catalog given to Step is new.
type CatalogChanged struct{}

// FocusTab says that the client chose a tab, or, for clients whose focus follows the user's, that the user brought it
// to the front. If no catalog has shown the tab yet, it gets the focus as soon as one does, and until then nothing
// changes. So code that opens a tab calls Step with this event as soon as it knows the page's id. Then the new tab and
// its focus are one change instead of two.
type FocusTab struct{ Page registry.PageID }

// FocusNone says that the client's tab loses the focus but stays open. When a tab closes, [CatalogChanged] is enough.
type FocusNone struct{}

func (Connect) focusEvent()        {}
func (Disconnect) focusEvent()     {}
func (CatalogChanged) focusEvent() {}
func (FocusTab) focusEvent()       {}
func (FocusNone) focusEvent()      {}

// Step applies one event; c is the current catalog. changed says that the client's list of tools is different now, so
// list_changed is due.
func (f *Focus) Step(c *registry.Catalog, e Event) (changed bool) {
	switch e := e.(type) {
	case Connect:
		f.connected = true
	case Disconnect:
		f.connected = false
	case FocusTab:
		f.awaited = e.Page
	case FocusNone:
		f.page, f.awaited = "", ""
	}
	f.forgetGone(c)
	state, tab := f.State(c), f.Tab(c)
	changed = state != f.shownState || !f.sameBareTools(f.shownTab, tab)
	f.shownState, f.shownTab = state, tab
	return changed
}

// forgetGone forgets tabs and browsers that are gone. Otherwise the focus would return with a crashed tab that is
// reloaded, or with the browser.
func (f *Focus) forgetGone(c *registry.Catalog) {
	if c.BrowserStatus() != "" {
		f.connected = false
	}
	if !f.connected {
		f.page, f.awaited = "", ""
	}
	if t := c.Tab(f.awaited); t != nil {
		if !t.Crashed() {
			f.page = t.Page
		}
		f.awaited = ""
	}
	if f.Tab(c) == nil {
		f.page = ""
	}
}

// State returns the client's state for the current catalog.
func (f Focus) State(c *registry.Catalog) State {
	switch {
	case !f.connected || c.BrowserStatus() != "":
		return Disconnected
	case f.Tab(c) != nil:
		return TabFocused
	case slices.ContainsFunc(c.Tabs(), func(t *registry.Tab) bool { return !t.Crashed() }):
		return NoneFocused
	}
	return NoTabs
}

// Tab returns the focused tab, or nil.
func (f Focus) Tab(c *registry.Catalog) *registry.Tab {
	if t := c.Tab(f.page); f.connected && c.BrowserStatus() == "" && t != nil && !t.Crashed() {
		return t
	}
	return nil
}

// sameBareTools reports whether two tabs, either of which may be nil, show the same tools. As in a catalog, a name
// that moves to another tool of the page makes a difference: otherwise the hub would refuse a call by that name,
// although it never notified the client.
func (f Focus) sameBareTools(a, b *registry.Tab) bool {
	was, is := a.Published(), b.Published()
	switch {
	case slices.Equal(was, is):
		return true // the usual case, and cheap: a title changed, for example
	case len(was) == 0 || len(is) == 0:
		return false
	}
	return slices.EqualFunc(BareTools(a, f.MaxName, f.Reserved...), BareTools(b, f.MaxName, f.Reserved...),
		func(s, t *registry.HubTool) bool {
			return string(s.Encoded) == string(t.Encoded) && s.Same(t)
		})
}

// openTabs returns the tabs that list_tabs shows.
func openTabs(c *registry.Catalog) []*registry.Tab {
	return slices.DeleteFunc(slices.Clone(c.Tabs()), (*registry.Tab).Crashed)
}
