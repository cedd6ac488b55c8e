package automation

import (
	"fmt"
	"testing"

	"webmcphub/cdpclient"
)

// leaves asks whether to leave its page, once a user has touched it.
const leaves = `<script>onbeforeunload = e => e.preventDefault()</script>`

// TestPortedNavigate has the cases of pages.test.ts about navigation and sizes.
func TestPortedNavigate(t *testing.T) {
	const inState = "the tab's window stays as it is, as others have tabs in it: only what the page sees has another size"
	port(t, []ported{
		{name: "navigate_page goes to an address", tabs: func(d *desk) {
			d.says("navigate_page", `{"url":"`+d.url("/two")+`"}`, "The page is at "+d.url("/two"))
			d.is("", `document.querySelector("h1").innerText`, "Second")
		}},
		{name: "navigate_page of a page that was closed is an error that says so", tabs: func(d *desk) {
			d.opens("")
			_ = d.b.CloseTab(d.b.ctx, d.service.currentOf(&d.client))
			d.fails("navigate_page", `{"url":"`+d.url("/two")+`"}`, "Your current page was closed. Call select_page, or give pageId. Open pages: 1")
		}},
		{name: "navigate_page keeps to its timeout", tabs: func(d *desk) {
			d.b.site.Handle(hangs)
			d.fails("navigate_page", `{"url":"`+d.url("/hangs")+`","timeout":300}`, "has not loaded within 300ms")
		}},
		{name: "navigate_page goes back", tabs: func(d *desk) {
			d.says("navigate_page", `{"url":"`+d.url("/two")+`"}`, "The page is at")
			d.says("navigate_page", `{"type":"back"}`, "The page is at "+d.url("/"))
			d.is("", "location.pathname", "/")
		}},
		{name: "navigate_page goes forward", tabs: func(d *desk) {
			d.says("navigate_page", `{"url":"`+d.url("/two")+`"}`, "The page is at")
			d.says("navigate_page", `{"type":"back"}`, "The page is at")
			d.says("navigate_page", `{"type":"forward"}`, "The page is at "+d.url("/two"))
			d.is("", "location.pathname", "/two")
		}},
		{name: "navigate_page loads a page again", tabs: func(d *desk) {
			d.is("", "window.old = 1", "1")
			d.says("navigate_page", `{"type":"reload"}`, "The page is at "+d.url("/"))
			d.is("", "window.old", "undefined")
		}},
		{name: "navigate_page loads a page again that asks whether to be left", page: leaves, do: func(r real) {
			r.is("window.old = 1", "1")
			r.touch()
			r.says("navigate_page", `{"type":"reload"}`, "The page is at")
			r.is("window.old", "undefined")
			r.fails("handle_dialog", `{"action":"accept"}`, "no dialog is open")
		}},
		{
			name: "navigate_page stays if told so when the page asks", page: leaves, differs: "it says so at once, and an error says that nothing was loaded; theirs waits for its timeout and is no error",
			do: func(r real) {
				r.is("window.old = 1", "1")
				r.touch()
				r.fails("navigate_page", `{"type":"reload","handleBeforeUnload":"dismiss"}`, "The page asked whether to be left, and handleBeforeUnload told to stay")
				r.is("window.old", "1")
				r.fails("handle_dialog", `{"action":"accept"}`, "no dialog is open")
			},
		},
		{name: "navigate_page forward from the end of the history is an error", do: func(r real) {
			r.fails("navigate_page", `{"type":"forward"}`, "nothing to go forward to")
		}},
		{name: "navigate_page back from the begin of the history is an error", tabs: func(d *desk) {
			d.opens("")
			d.fails("navigate_page", `{"type":"back"}`, "nothing to go back to")
		}},
		{name: "navigate_page runs a script before the page's own", tabs: func(d *desk) {
			d.b.site.Set("/reads", "<script>document.title = window.early</script>")
			d.says("navigate_page", `{"url":"`+d.url("/reads")+`","initScript":"window.early = 'completed'"}`, "The page is at")
			d.is("", "document.title", "completed")
		}},
		{name: "navigate_page leaves a page that shows a dialog", tabs: func(d *desk) {
			d.asks(d.one, "test")
			d.says("navigate_page", `{"url":"`+d.url("/two")+`"}`, "The page is at "+d.url("/two"))
			d.is("", "document.title", "Two")
		}},
		{name: "resize_page gives a page another size", do: func(r real) {
			r.says("resize_page", `{"width":700,"height":500}`, "size 700x500")
			r.is("[innerWidth, innerHeight]", "700,500")
		}},
		{name: "resize_page in a window as usual", differs: inState, do: func(r real) { r.resizes("normal", 650, 450) }},
		{name: "resize_page in a minimized window", differs: inState, do: func(r real) { r.resizes("minimized", 750, 550) }},
		{name: "resize_page in a maximized window", differs: inState, do: func(r real) { r.resizes("maximized", 725, 525) }},
		{name: "resize_page in a full-screen window", differs: inState, do: func(r real) { r.resizes("fullscreen", 850, 650) }},
		{
			name: "resize_page of a page that shows a dialog", differs: "the page can't answer before the dialog is, so that is asked for first",
			tabs: func(d *desk) {
				d.asks(d.one, "test")
				d.fails("resize_page", `{"width":1600,"height":1400}`, `"test"`)
				d.says("handle_dialog", `{"action":"accept"}`, "was accepted")
				d.says("resize_page", `{"width":1600,"height":1400}`, "size 1600x1400")
			},
		},
	})
}

// resizes gives the page a size in a window of that state, which the window keeps.
func (r real) resizes(state string, width, height int) {
	r.t.Helper()
	var window struct{ WindowID int }
	if err := r.Conn.Call(r.Ctx, "", "Browser.getWindowForTarget", map[string]any{"targetId": r.Target}, &window); err != nil {
		r.t.Fatal(err)
	}
	if err := r.Conn.Call(r.Ctx, "", "Browser.setWindowBounds", map[string]any{"windowId": window.WindowID, "bounds": map[string]any{"windowState": state}}, nil); err != nil {
		r.t.Fatal(err)
	}
	r.says("resize_page", fmt.Sprintf(`{"width":%d,"height":%d}`, width, height), fmt.Sprintf("size %dx%d", width, height))
	r.is("[innerWidth, innerHeight]", fmt.Sprintf("%d,%d", width, height))
	var is struct{ Bounds struct{ WindowState string } }
	if err := r.Conn.Call(r.Ctx, "", "Browser.getWindowBounds", map[string]any{"windowId": window.WindowID}, &is); err != nil {
		r.t.Fatal(err)
	}
	if is.Bounds.WindowState != state {
		r.t.Errorf("the window is %s, and was %s", is.Bounds.WindowState, state)
	}
}

// TestPortedDialogs has the cases of pages.test.ts about dialogs.
func TestPortedDialogs(t *testing.T) {
	port(t, []ported{
		{name: "handle_dialog accepts", tabs: func(d *desk) {
			d.asks(d.one, "test")
			d.says("handle_dialog", `{"action":"accept"}`, `The alert "test" was accepted.`)
			d.is("", "1", "1")
		}},
		{name: "handle_dialog dismisses", tabs: func(d *desk) {
			d.asks(d.one, "test")
			d.says("handle_dialog", `{"action":"dismiss"}`, `The alert "test" was dismissed.`)
			d.is("", "1", "1")
		}},
		{
			name: "handle_dialog where the dialog was answered already", differs: "an answer that nobody waits for is an error: it may have been meant for another dialog",
			tabs: func(d *desk) {
				d.asks(d.one, "test")
				d.must(cdpclient.PageHandleJavaScriptDialog, cdpclient.HandleJavaScriptDialogParams{})
				d.fails("handle_dialog", `{"action":"dismiss"}`, "no dialog is open")
				d.is("", "1", "1")
			},
		},
		{name: "handle_dialog answers on a page that isn't the current one", tabs: func(d *desk) {
			d.asks(d.another(), "test")
			d.says("handle_dialog", `{"action":"accept","pageId":2}`, `The alert "test" was accepted.`)
			d.is("2", "document.title", "Two")
		}},
		{name: "each page has its own dialog", tabs: func(d *desk) {
			second := d.another()
			d.asks(d.one, "first")
			d.asks(second, "second")
			d.says("handle_dialog", `{"action":"accept","pageId":1}`, `The alert "first" was accepted.`)
			d.fails("handle_dialog", `{"action":"accept","pageId":1}`, "no dialog is open")
			d.says("handle_dialog", `{"action":"dismiss","pageId":2}`, `The alert "second" was dismissed.`)
			d.is("1", "1", "1")
			d.is("2", "document.title", "Two")
		}},
		{name: "get_tab_id gives a tab's id", none: "get_tab_id isn't one of the 26: the ids of list_pages are those that all tools take"},
	})
}
