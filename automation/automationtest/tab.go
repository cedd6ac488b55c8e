package automationtest

import (
	"context"
	"strings"
	"testing"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// Tab is a test's own tab, in a window of its own, with a page on its site.
type Tab struct {
	*page.Page
	T      testing.TB
	Site   *Site
	Conn   *cdpclient.Conn
	Target string
	Ctx    context.Context // for the whole test; ends if something hangs
}

// Open serves pages and opens "/" under a.test in a new tab, which is closed with the test. It returns when the page
// has loaded.
func Open(t testing.TB, pages Pages, options ...func(*page.Options)) *Tab {
	t.Helper()
	site := Serve(t, pages)
	return OpenAt(t, site, site.URL("a", "/"), options...)
}

// OpenAt opens an address in a new tab.
func OpenAt(t testing.TB, site *Site, url string, options ...func(*page.Options)) *Tab {
	t.Helper()
	return openIn(t, Window, site, url, options...)
}

func openIn(t testing.TB, window func(testing.TB) string, site *Site, url string,
	options ...func(*page.Options)) *Tab {
	t.Helper()
	var tab *Tab
	if site.downloads() { // Chrome lets each tab begin only one download without asking
		tab = NewTab(t, site, "about:blank")
	} else {
		tab = &Tab{T: t, Site: site, Conn: Conn(t), Ctx: Context(t), Target: window(t)}
	}
	tab.Attach(options...)
	tab.Goto(url)
	tab.Must("", "Page.resetNavigationHistory", nil, nil) // drops the pages of other tests
	return tab
}

// NewTab returns a tab to which no page is attached yet; see [Tab.Attach].
func NewTab(t testing.TB, site *Site, url string) *Tab {
	t.Helper()
	tab := &Tab{T: t, Site: site, Conn: Conn(t), Ctx: Context(t)}
	tab.create(map[string]any{"url": url, "newWindow": true})
	return tab
}

// Attach opens the tab's page, for the rest of the test.
func (tab *Tab) Attach(options ...func(*page.Options)) {
	tab.T.Helper()
	var o page.Options
	for _, set := range options {
		set(&o)
	}
	p, err := page.Open(tab.Ctx, tab.Conn, tab.Target, o)
	if err != nil {
		tab.T.Fatal(err)
	}
	tab.Page = p
	tab.T.Cleanup(p.Close)
}

// Goto navigates the tab and waits until the page and its frames have loaded.
func (tab *Tab) Goto(url string) {
	tab.T.Helper()
	var to cdpclient.NavigateResult
	tab.Must("", cdpclient.PageNavigate, map[string]any{"url": url}, &to)
	if to.ErrorText != "" {
		tab.T.Fatalf("%s: %s", url, to.ErrorText)
	}
	if err := tab.WaitLoad(page.DespiteDialog(tab.Ctx), to.LoaderID, page.Loaded); err != nil {
		tab.T.Fatalf("%s: %v", url, err)
	}
}

// Must does the same as [page.Page.Call], and ends the test on an error.
func (tab *Tab) Must(session cdpclient.SessionID, method string, params, result any) {
	tab.T.Helper()
	if err := tab.Call(tab.Ctx, session, method, params, result); err != nil {
		tab.T.Fatal(err)
	}
}

// Frame returns the frame whose address ends with suffix ("" is the main frame). It ends the test if there is none.
func (tab *Tab) Frame(suffix string) page.Frame {
	tab.T.Helper()
	frames := tab.Frames()
	for _, f := range frames {
		if suffix == "" || strings.HasSuffix(f.URL, suffix) {
			return f
		}
	}
	tab.T.Fatalf("no frame %q among %+v", suffix, frames)
	panic("not reached")
}

// JS evaluates an expression in the main frame's own world and decodes its value.
func JS[T any](tab *Tab, expression string) T {
	tab.T.Helper()
	var v T
	if err := tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, "() => ("+expression+")", nil, &v); err != nil {
		tab.T.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Node returns the backend node id of the element that a selector finds in a frame.
func (tab *Tab) Node(frame page.Frame, selector string) int {
	tab.T.Helper()
	id, err := tab.World(tab.Ctx, frame.FrameRef, page.Isolated)
	if err != nil {
		tab.T.Fatal(err)
	}
	var is cdpclient.EvaluateResult
	tab.Must(frame.Session, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"functionDeclaration": "s => document.querySelector(s)", "executionContextId": id,
		"arguments": []any{map[string]any{"value": selector}},
	}, &is)
	if is.Result.ObjectID == "" {
		tab.T.Fatalf("no element %q in %s", selector, frame.URL)
	}
	var described struct{ Node struct{ BackendNodeID int } }
	tab.Must(frame.Session, "DOM.describeNode", map[string]any{"objectId": is.Result.ObjectID}, &described)
	return described.Node.BackendNodeID
}

// NewBackgroundTab returns a tab behind the others in the window that was used last; see [NewTab].
func NewBackgroundTab(t testing.TB, beside *Tab, url string) *Tab {
	t.Helper()
	tab := &Tab{T: t, Site: beside.Site, Conn: beside.Conn, Ctx: beside.Ctx}
	tab.create(map[string]any{"url": url, "background": true})
	return tab
}

func create(t testing.TB, params map[string]any) (target string) {
	t.Helper()
	var made cdpclient.CreateTargetResult
	if err := Conn(t).Call(Context(t), "", cdpclient.TargetCreateTarget, params, &made); err != nil {
		t.Fatal(err)
	}
	return string(made.TargetID)
}

func (tab *Tab) create(params map[string]any) {
	tab.T.Helper()
	tab.Target = create(tab.T, params)
	tab.T.Cleanup(func() {
		tab.Conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": tab.Target}, nil)
	})
}
