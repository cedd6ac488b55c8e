package registry

import (
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// WhatBecame says why something that a client saw is no longer there. seen is the catalog that the client saw; it may
// be nil. WhatBecame compares the tool's document with the page's current documents: so it can tell a tool that the
// page removed from one that ended with its document.
func WhatBecame[T offer.Named](to VisibleTools, seen, now *Catalog, what T) string {
	was := what.Identity()
	tab := now.Tab(was.Page)
	switch {
	case tab == nil && now.BrowserStatus() != "":
		return to.Status(now.BrowserStatus())
	case tab == nil && seen.statusNow(now, was.Page) != "":
		return "its browser is away: " + to.Status(seen.statusNow(now, was.Page))
	case tab == nil:
		return "the page that it belonged to was closed"
	case tab.State != "":
		return "its page " + to.State(tab.State)
	case tab.withheldNow(was) != nil:
		return "its page's tool is " + tab.withheldNow(was).Why
	case tab.tooFast(was.Name) != "":
		return "its page's tool is " + tab.tooFast(was.Name)
	case unregistered(now, tab, what):
		return to.Unregistered()
	case was.Doc < tab.gen, tab.Origin != was.Origin:
		return becameOfPage(seen, tab, was)
	case was.Doc > tab.gen:
		return becameOfFrame(tab, was)
	}
	return notOffered(was)
}

// statusNow returns the current status of the browser of a page that c has; "" if that browser is connected or c
// doesn't have the page.
func (c *Catalog) statusNow(now *Catalog, page PageID) string {
	if c == nil || c.Tab(page) == nil {
		return ""
	}
	return now.StatusOf(c.Tab(page).Browser)
}

// unregistered reports whether the page still has the tool, and only the client's list leaves it out.
func unregistered[T offer.Named](now *Catalog, tab *Tab, was T) bool {
	_, isTool := any(was).(*HubTool)
	return isTool && slices.ContainsFunc(tab.Tools, func(t *HubTool) bool {
		return t.Identity().Same(was.Identity()) &&
			now.Lookup(t.Name) != t
	})
}

// becameOfPage explains the loss of a tool whose page shows another document now.
func becameOfPage(seen *Catalog, tab *Tab, was offer.Identity) string {
	var before *Tab
	if seen != nil {
		before = seen.Tab(tab.Page)
	}
	switch {
	case tab.moving:
		return "its page has just navigated"
	case before != nil && before.times != tab.times: // for example, Chrome was lost meanwhile
		return "its page was attached to anew, and has not offered " + was.Text() + " since"
	case before != nil && before.URL == tab.URL:
		return "its page was reloaded, and has not offered " + was.Text() + " since"
	}
	return "its page navigated to " + tab.Address.Shown(200)
}

// becameOfFrame explains the loss of an iframe's tool. Documents are numbered in the order in which they came, so
// those of a page's iframes are newer than the page's own.
func becameOfFrame(tab *Tab, was offer.Identity) string {
	i := slices.IndexFunc(tab.frames, func(f Frame) bool { return f.ID == was.Frame })
	switch {
	case i < 0:
		return "the frame that it belonged to was removed"
	case tab.frames[i].Doc == was.Doc:
		return notOffered(was)
	case tab.frames[i].URL == "":
		return "the frame that it belonged to has just navigated"
	}
	return "the frame that it belonged to navigated to " + sanitize.Text(tab.frames[i].URL, 200)
}

func notOffered(was offer.Identity) string { return "its page no longer offers " + was.Text() }

// whyAnotherPage says why a name now means a tool of another page: what became of the tool that the name meant, and
// which pages were closed so that the other page got the index.
func whyAnotherPage(to VisibleTools, seen, now *Catalog, was, current *HubTool) string {
	closed := closedBefore(seen, now, current)
	gone := now.Tab(was.Route.Page) == nil
	switch {
	case gone && closed != "" && now.BrowserStatus() == "":
		return closed
	case gone || closed == "":
		return WhatBecame(to, seen, now, was)
	}
	return WhatBecame(to, seen, now, was) + ", and " + closed
}

// closedBefore names the pages whose closing gave the tool's page its current index, such as "page 0 was closed". It
// returns "" if none did.
func closedBefore(seen, now *Catalog, current *HubTool) string {
	before := seen.Tab(current.Route.Page)
	if before != nil && before.Index == current.PageIndex() {
		return ""
	}
	var closed []string
	for _, t := range seen.Tabs() {
		if now.Tab(t.Page) == nil && (before == nil || t.Index < before.Index) {
			closed = append(closed, strconv.Itoa(t.Index))
		}
	}
	switch n := len(closed); n {
	case 0:
		return ""
	case 1:
		return "page " + closed[0] + " was closed"
	default:
		return "pages " + strings.Join(closed[:n-1], ", ") + " and " + closed[n-1] + " were closed"
	}
}
