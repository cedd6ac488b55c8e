package listing

import (
	"strconv"
	"strings"

	"webmcphub/registry"
)

// Cursor is a place in a list at which a part of it ended.
type Cursor struct {
	scope  string
	detail Detail
	tab    registry.TabID // in which it ended, 0 for the tools of sites
	at     int            // how many of the tab's tools were shown
	after  string         // the last one's name
}

// The scopes of lists that end before all is shown.
const (
	allTabs  = "all"
	oneTab   = "one"
	tabsOnly = "tabs" // without tools
)

// String is the cursor as clients give it back.
func (c *Cursor) String() string {
	return strings.Join([]string{c.scope, string(c.detail), strconv.Itoa(int(c.tab)), strconv.Itoa(c.at), c.after}, ".")
}

// ReadCursor reads a client's cursor; ok says whether it is one.
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

// Tab is the tab that the list is of; 0 is all.
func (c *Cursor) Tab() registry.TabID {
	if c.scope == oneTab {
		return c.tab
	}
	return 0
}

// Detail is that of the list.
func (c *Cursor) Detail() Detail { return c.detail }

// rest are the tools that come after the cursor, of those of its tab as they are now.
// begunAgain says that these are all, as nobody knows where the one was at which the list
// stopped; changed says that there are others before them than there were.
func (c *Cursor) rest(tools []*registry.HubTool) (rest []*registry.HubTool, begunAgain, changed bool) {
	for i, t := range tools {
		if t.Name == c.after {
			return tools[i+1:], false, i+1 != c.at
		}
	}
	return tools, c.at > 0, false
}

// Placed says whether the place is still there.
func (c *Cursor) Placed(in *registry.Catalog) bool {
	return c.tab == 0 || place(in.Tabs(), c.tab) >= 0
}

// place is where a tab is among those, or -1.
func place(tabs []*registry.Tab, id registry.TabID) int {
	for i, t := range tabs {
		if t.ID == id {
			return i
		}
	}
	return -1
}
