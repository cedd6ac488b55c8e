package listing

import (
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry"
)

// Cursor is a place in a list at which a part of the list ended.
type Cursor struct {
	scope  string
	detail Detail
	tab    registry.TabID // the tab in which the part ended; 0 for the tools of sites
	at     int            // how many of the tab's tools were shown
	after  string         // the name of the last tool shown
}

// The scopes of lists that may end before everything is shown.
const (
	allTabs  = "all"
	oneTab   = "one"
	tabsOnly = "tabs" // without tools
)

// String returns the cursor in the form in which clients give it back.
func (c *Cursor) String() string {
	return strings.Join([]string{c.scope, string(c.detail), strconv.Itoa(int(c.tab)), strconv.Itoa(c.at), c.after}, ".")
}

// ReadCursor reads a client's cursor. ok reports whether text is one.
func ReadCursor(text string) (c *Cursor, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 5 || len(text) > 256 {
		return nil, false
	}
	tab, wrong := strconv.Atoi(parts[2])
	at, wrongToo := strconv.Atoi(parts[3])
	c = &Cursor{parts[0], Detail(parts[1]), registry.TabID(tab), at, parts[4]}
	switch {
	case wrong != nil || wrongToo != nil || tab < 0 || at < 0:
		return nil, false
	case c.scope == tabsOnly:
		return c, c.detail == ""
	case c.scope != allTabs && c.scope != oneTab:
		return nil, false
	}
	return c, c.detail == Names || c.detail == Signature || c.detail == Full
}

// Tab returns the tab of the list; 0 means all tabs.
func (c *Cursor) Tab() registry.TabID {
	if c.scope == oneTab {
		return c.tab
	}
	return 0
}

// Detail returns the detail of the list.
func (c *Cursor) Detail() Detail { return c.detail }

// rest returns those of the tab's current tools that come after the cursor. begunAgain reports that rest returns all
// of them, because the tool at which the list stopped is gone. changed reports that the number of tools before the
// cursor has changed.
func (c *Cursor) rest(tools []*registry.HubTool) (rest []*registry.HubTool, begunAgain, changed bool) {
	for i, t := range tools {
		if t.Name == c.after {
			return tools[i+1:], false, i+1 != c.at
		}
	}
	return tools, c.at > 0, false
}

// Placed reports whether the cursor's tab is still open.
func (c *Cursor) Placed(in *registry.Catalog) bool {
	return c.tab == 0 || place(in.Tabs(), c.tab) >= 0
}

// place returns the index of a tab, or -1.
func place(tabs []*registry.Tab, id registry.TabID) int {
	return slices.IndexFunc(tabs, func(t *registry.Tab) bool { return t.ID == id })
}
