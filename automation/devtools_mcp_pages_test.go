package automation

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/registry"
)

// A desk is an agent with one real tab, page 1, that may open more. What its catalog says
// of them is what Chrome says.
type desk struct {
	*one
	contexts []string // that the agent may have named
}

func openDesk(t *testing.T, pages automationtest.Pages) *desk {
	t.Helper()
	t.Parallel()
	b := newManyTabs(t, pages)
	b.behind = true
	b.site.Set("/two", "<title>Two</title><h1>Second</h1>")
	s := New(Options{Browser: b, Categories: Categories()})
	t.Cleanup(s.Close)
	d := &desk{one: b.open(s, "1", "/"), contexts: []string{"first", "second"}}
	d.client.Catalog = d.catalog
	await := d.client.Await
	d.client.Await = func(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
		if c := d.b.catalog(ctx); satisfied(c) {
			return c
		}
		d.catalog(ctx) // as the browser's own events would tell
		return await(ctx, satisfied)
	}
	return d
}

// catalog learns what tabs there are, and what they show. It doesn't end with ctx: a hub
// has no need to ask, so that this takes none of its caller's time.
func (d *desk) catalog(ctx context.Context) *registry.Catalog {
	ctx = context.WithoutCancel(ctx)
	var all struct {
		TargetInfos []struct{ TargetID, Type, URL, Title, BrowserContextID string }
	}
	if err := d.b.conn.Call(ctx, "", "Target.getTargets", nil, &all); err != nil {
		d.t.Error(err)
	}
	now := d.b.catalog(ctx)
	for _, is := range all.TargetInfos {
		id := registry.PageID(is.TargetID)
		if now.Tab(id) == nil && is.Type == "page" && d.isolates(ctx, is.BrowserContextID) {
			d.b.learn(id, is.URL)
			d.b.t.Cleanup(func() { d.b.closes(id) })
		}
		if t := d.b.catalog(ctx).Tab(id); t != nil {
			d.tell(registry.PageChanged{Page: id, Arrived: true, URL: is.URL, Title: is.Title, Dialog: t.Dialog})
		}
	}
	return d.b.catalog(ctx)
}

func (d *desk) tell(e registry.PageChanged) {
	d.b.fakeBrowser.mu.Lock()
	defer d.b.fakeBrowser.mu.Unlock()
	d.b.state.Step(e)
	d.b.flush()
}

// isolates says whether a context is one that the agent has named.
func (d *desk) isolates(ctx context.Context, id string) bool {
	closes := func(ctx context.Context, target string) error {
		return d.service.options.Browser.CloseTab(ctx, registry.PageID(target))
	}
	for _, name := range d.contexts {
		if is, err := d.service.isolated.Named(ctx, d.b.conn, "1", name, closes); err == nil && is == id {
			return true
		}
	}
	return false
}

// url is an address of the desk's site.
func (d *desk) url(path string) string { return d.b.site.URL("a", path) }

// opens calls new_page, and gives the new page's id.
func (d *desk) opens(more string) string {
	d.t.Helper()
	got := d.call("new_page", `{"url":"`+d.url("/two")+`"`+more+`}`)
	words := strings.Fields(got.Text)
	if got.IsError || len(words) < 2 || !strings.Contains(got.Text, "is your current page: "+d.url("/two")) {
		d.t.Fatalf("new_page says %s", got.Text)
	}
	return words[1]
}

// is wants an expression to have a value in a page, the current one if id is "".
func (d *desk) is(id, expression, want string) {
	d.t.Helper()
	if id != "" {
		id = `,"pageId":` + id
	}
	args, _ := json.Marshal("async () => String(" + expression + ")")
	d.says("evaluate_script", `{"function":`+string(args)+id+`}`, strconv.Quote(want))
}

// another is a second tab of the same agent, which isn't the current one.
func (d *desk) another() *one {
	second := d.b.open(d.service, "1", "/two")
	second.client = d.client
	d.service.selects(&d.client, d.tab)
	return second
}

// asks has a page show an alert, and returns when the service knows of that.
func (d *desk) asks(in *one, message string) {
	d.t.Helper()
	p, err := d.service.tab(d.b.current, in.tab).open(d.b.ctx, d.service)
	if err != nil {
		d.t.Fatal(err)
	}
	w := p.Watch()
	defer w.Close()
	in.begin("alert('" + message + "')")
	if err := w.Wait(d.b.ctx, func(h page.Happened) bool { return len(h.Dialogs) > 0 }); err != nil {
		d.t.Fatal(err)
	}
}

const (
	noExtensions = "the hub offers web pages; pages and workers of extensions are the user's own, and there is no --category-extensions"
	ofDialogs    = "only answers about the page that the dialog is open in tell of it; list_pages tells of all"
)

// TestPortedPages has the cases of pages.test.ts about the list of pages.
func TestPortedPages(t *testing.T) {
	port(t, []ported{
		{name: "list_pages lists the pages", page: "<title>One</title>", tabs: func(d *desk) {
			d.says("list_pages", `{}`, `1: "One" `+d.url("/"))
		}},
		{name: "list_pages works once the current page was closed", page: "<title>One</title>", tabs: func(d *desk) {
			d.opens("")
			_ = d.b.CloseTab(d.b.ctx, d.service.currentOf(&d.client))
			if got := d.call("list_pages", `{}`); got.IsError || got.Text != `1: "One" `+d.url("/") {
				d.t.Errorf("it says %s", got.Text)
			}
		}},
		{name: "list_pages with extensions lists their pages", none: noExtensions},
		{name: "list_pages with or without extensions and their workers", none: noExtensions},
		{name: "list_pages with extensions lists their side panels", none: noExtensions},
		{name: "list_pages tells of a dialog", page: "<title>One</title>", tabs: func(d *desk) {
			// Which dialog is open is told by the tab's actor, in these words.
			d.tell(registry.PageChanged{Page: d.tab, Arrived: true, URL: d.url("/"), Dialog: `dialog open: alert "test"`})
			d.says("list_pages", `{}`, `1: "One" `+d.url("/")+` [current] — dialog open: alert "test"`)
		}},
		{name: "new_page opens a page, which is the current one", tabs: func(d *desk) {
			if id := d.opens(""); id != "2" {
				d.t.Errorf("its id is %s", id)
			}
			d.is("", "document.title", "Two")
			d.says("list_pages", `{}`, `2: "Two" `+d.url("/two")+" [current] [yours]")
		}},
		{name: "new_page opens a page behind the one in front", tabs: func(d *desk) {
			d.must("Page.bringToFront", nil)
			d.is("1", "document.hasFocus()", "true")
			d.opens(`,"background":true`)
			d.is("", "document.title", "Two")
			d.is("1", "document.visibilityState + document.hasFocus()", "visibletrue")
		}},
		{name: "new_page opens a page in a context of its own", tabs: func(d *desk) {
			d.is("", `document.cookie = "of=mine"`, "of=mine")
			d.opens(`,"isolatedContext":"first"`)
			d.is("", "document.cookie", "")
		}},
		{name: "new_page uses a context of that name again", tabs: func(d *desk) {
			d.opens(`,"isolatedContext":"first"`)
			d.is("", `document.cookie = "of=first"`, "of=first")
			d.opens(`,"isolatedContext":"first"`)
			d.is("", "document.cookie", "of=first")
		}},
		{name: "new_page makes a context for each name", tabs: func(d *desk) {
			d.opens(`,"isolatedContext":"first"`)
			d.is("", `document.cookie = "of=first"`, "of=first")
			d.opens(`,"isolatedContext":"second"`)
			d.is("", "document.cookie", "")
		}},
		{name: "list_pages tells the name of a page's context", tabs: func(d *desk) {
			d.opens(`,"isolatedContext":"first"`)
			d.says("list_pages", `{}`, `2: "Two" `+d.url("/two")+" [current] [yours] [isolatedContext=first]")
			if got := string(d.call("list_pages", `{}`).Encode().JSON); !strings.Contains(got, `"isolatedContext":"first"`) {
				d.t.Errorf("the structured list is %s", got)
			}
			other := *d.agent
			other.client.ID = "2"
			if got := other.call("list_pages", `{}`); strings.Contains(got.Text, "first") {
				d.t.Errorf("another client is told %s", got.Text)
			}
		}},
		{name: "a page in the browser's own context has no name of one", tabs: func(d *desk) {
			d.opens("")
			if got := string(d.call("list_pages", `{}`).Encode().JSON); strings.Contains(got, "isolatedContext") {
				d.t.Errorf("the list is %s", got)
			}
		}},
		{name: "close_page closes a page in a context of its own", tabs: func(d *desk) {
			id := d.opens(`,"isolatedContext":"first"`)
			d.says("close_page", `{"pageId":`+id+`}`, "Page 2 was closed.")
		}},
		{name: "new_page opens a page while another shows a dialog", differs: ofDialogs, tabs: func(d *desk) {
			d.asks(d.one, "test")
			d.opens("")
			d.is("", "document.title", "Two")
			d.says("handle_dialog", `{"action":"accept","pageId":1}`, `The alert "test" was accepted`)
		}},
		{name: "navigate_page acts on the page that pageId names", tabs: func(d *desk) {
			isolated := d.opens(`,"isolatedContext":"first"`)
			d.says("select_page", `{"pageId":1}`, "Page 1 is your current page")
			d.says("navigate_page", `{"url":"`+d.url("/two#there")+`","pageId":`+isolated+`}`, "The page is at "+d.url("/two#there"))
			d.is(isolated, "location.hash", "#there")
			d.is("", "location.pathname", "/")
		}},
		{name: "close_page closes a page", tabs: func(d *desk) {
			d.opens("")
			d.says("close_page", `{"pageId":2}`, "Page 2 was closed.")
			d.fails("evaluate_script", `{"function":"() => 1"}`, "Your current page was closed")
		}},
		{
			name: "close_page on the last page", differs: "it closes the last page like any other: the specification of close_tab ends with no tabs, and new_page opens one again",
			tabs: func(d *desk) {
				d.says("close_page", `{"pageId":1}`, "Page 1 was closed.")
				d.says("list_pages", `{}`, "No page is open; new_page opens one.")
			},
		},
		{name: "close_page closes a page that shows a dialog", tabs: func(d *desk) {
			d.opens("")
			d.asks(d.one, "test")
			d.says("close_page", `{"pageId":1}`, "Page 1 was closed.")
			d.is("", "document.title", "Two")
		}},
		{name: "select_page makes a page the current one", tabs: func(d *desk) {
			d.opens("")
			d.says("select_page", `{"pageId":1}`, "Page 1 is your current page: "+d.url("/"))
			d.is("", "location.pathname", "/")
		}},
		{
			name: "a page that isn't in front has the focus", differs: "a page believes that it has the focus once a tool acts on it, so that others, and the user's, aren't changed by a mere look",
			tabs: func(d *desk) {
				d.opens("")
				d.says("select_page", `{"pageId":1}`, "Page 1")
				d.says("press_key", `{"key":"a"}`, "Pressed a")
				d.says("press_key", `{"key":"a","pageId":2}`, "Pressed a")
				d.is("1", "document.hasFocus()", "true")
				d.is("2", "document.hasFocus()", "true")
			},
		},
		{
			name: "pages in several contexts have the focus at once", differs: "as in the case before",
			tabs: func(d *desk) {
				d.opens(`,"isolatedContext":"first"`)
				d.says("press_key", `{"key":"a"}`, "Pressed a")
				d.opens(`,"isolatedContext":"second"`)
				d.says("press_key", `{"key":"a"}`, "Pressed a")
				d.is("2", "document.hasFocus()", "true")
				d.is("3", "document.hasFocus()", "true")
				d.says("select_page", `{"pageId":2}`, "Page 2")
				d.is("2", "document.hasFocus()", "true")
				d.is("3", "document.hasFocus()", "true")
			},
		},
		{name: "select_page works on a page that shows a dialog", differs: ofDialogs, tabs: func(d *desk) {
			d.opens("")
			d.asks(d.one, "test")
			d.says("select_page", `{"pageId":1}`, "Page 1 is your current page")
			d.fails("evaluate_script", `{"function":"() => 1","timeout":300}`, "test")
		}},
	})
}
