package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestExtensionFollowsTabs that the user opens, navigates, brings to the front and closes.
func TestExtensionFollowsTabs(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	a := c.open(t, pages.url("lifecycle.html", "tool=a"))
	b := c.open(t, pages.url("lifecycle.html", "tool=b"))
	idA, idB := h.tab("tool=a"), h.tab("tool=b")
	h.lists(idA, "a", "a-hangs")
	h.lists(idB, "b", "b-hangs")
	h.wait("the title", func() bool { return h.tabs[idA].Title == "lifecycle" })

	doc := h.tool(idA, "a").Doc
	call := h.begin(idA, "a-hangs", nil)
	a.happened("hanging")
	a.navigate(pages.url("lifecycle.html", "tool=c"))
	if got := h.answer(call).text(); got != "error: the page navigated to "+pages.url("lifecycle.html", "tool=c")+" while the tool ran" {
		t.Errorf("the call ended with %s", got)
	}
	h.lists(idA, "c", "c-hangs")
	if h.tool(idA, "c").Doc == doc {
		t.Error("the document is the same after a navigation")
	}
	a.reload()
	h.wait("the next document", func() bool { return h.tabs[idA].Doc != doc })
	h.lists(idA, "c", "c-hangs")
	a.navigate(pages.url("plain.html"))
	h.wait("plain.html", func() bool { return strings.Contains(h.tabs[idA].URL, "plain.html") })
	h.lists(idA)
	a.eval(`history.pushState(null, '', '/plain.html?pushed')`)
	h.wait("the pushed address", func() bool { return strings.Contains(h.tabs[idA].URL, "?pushed") })
	a.eval(`document.title = 'renamed'`)
	h.wait("the new title", func() bool { return h.tabs[idA].Title == "renamed" })

	b.page("Page.bringToFront", nil, nil)
	h.wait("the tab in front", func() bool { return h.tabs[idB].Active && h.tabs[idB].Focused > 0 && !h.tabs[idA].Active })
	h.lists(idB, "b", "b-hangs")

	call = h.begin(idB, "b-hangs", nil)
	b.happened("hanging")
	b.close()
	if got := h.answer(call).text(); got != "error: the tab was closed while the tool ran" {
		t.Errorf("the call ended with %s", got)
	}
	h.wait("the closed tab's end", func() bool { return h.tabs[idB] == nil })
}

// TestExtensionObeys orders of the hub: open, focus, close.
func TestExtensionObeys(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	c.open(t, pages.url("plain.html"))
	front := h.tab("plain.html")
	for _, focus := range []bool{false, true} {
		page := pages.url("lifecycle.html", "focus="+map[bool]string{true: "yes", false: "no"}[focus])
		m := h.order(map[string]any{"type": "openTab", "url": page, "focus": focus})
		if m.Error != nil || m.TabID == nil {
			t.Fatalf("openTab was answered with %s", m.text())
		}
		id := *m.TabID
		if h.tab(page) != id {
			t.Errorf("the order says tab %d, the page is in %d", id, h.tab(page))
		}
		h.lists(id, "a", "a-hangs")
		h.wait("front or not", func() bool { return h.tabs[id].Active == focus })
		if !focus {
			if m := h.order(map[string]any{"type": "focusTab", "tabId": id}); m.Error != nil {
				t.Errorf("focusTab was answered with %s", m.text())
			}
			h.wait("the tab in front", func() bool { return h.tabs[id].Active && h.tabs[id].Focused > 0 && !h.tabs[front].Active })
		}
		if m := h.order(map[string]any{"type": "closeTab", "tabId": id}); m.Error != nil {
			t.Errorf("closeTab was answered with %s", m.text())
		}
		h.wait("the tab's end", func() bool { return h.tabs[id] == nil })
	}
	for want, m := range map[string]map[string]any{
		"there is no tab 999999":                               {"type": "focusTab", "tabId": 999999},
		"there is no tab 888888":                               {"type": "closeTab", "tabId": 888888},
		"not an address: nowhere":                              {"type": "openTab", "url": "nowhere", "focus": true},
		"addresses that begin with javascript: are not opened": {"type": "openTab", "url": "javascript:alert(1)", "focus": true},
		"addresses that begin with chrome: are not opened":     {"type": "openTab", "url": "chrome://settings", "focus": true},
	} {
		if got := h.order(m); got.Error == nil || *got.Error != want {
			t.Errorf("%v was answered with %s", m, got.text())
		}
	}
	// A hub that speaks the bare protocol gives no requestId.
	h.say(map[string]any{"type": "openTab", "url": pages.url("plain.html", "bare="), "focus": false})
	h.tab("plain.html?bare=")
}

// TestExtensionAndTheBackForwardCache: documents that come back bring their tools, and
// reading tools all the time never meets Chromium's death by a page that is put away meanwhile.
func TestExtensionAndTheBackForwardCache(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("dynamic.html", "cached="))
	id := h.tab("dynamic.html")
	h.lists(id, "first", "unlock")
	doc := h.tool(id, "first").Doc
	p.eval(`document.cameBack = new Promise(resolve => addEventListener('pageshow', e => resolve(e.persisted))), true`)
	p.navigate(pages.url("lifecycle.html", "cached="))
	h.lists(id, "a", "a-hangs")
	p.page("Page.navigateToHistoryEntry", map[string]any{"entryId": p.historyEntry("dynamic.html")}, nil)
	h.lists(id, "first", "unlock")
	if h.tool(id, "first").Doc != doc {
		t.Log("the page was loaded anew")
	}
	if got := h.call(id, "unlock", nil); !strings.Contains(got, "unlocked") {
		t.Errorf("unlock answered %s", got)
	}

	for i := range 40 {
		p.eval(`setInterval(() => { const remove = addTool({ name: 'flicker' }); setTimeout(remove, 3) }, 7)`)
		p.navigate(map[bool]func(string, ...string) string{true: pages.url, false: pages.otherSite}[i%2 == 0]("dynamic.html", "cached="))
	}
	h.has(id, "first", "unlock")
}

func (p *tab) historyEntry(part string) int {
	p.t.Helper()
	var history struct {
		Entries []struct {
			ID  int
			URL string
		}
	}
	p.page("Page.getNavigationHistory", nil, &history)
	for _, entry := range history.Entries {
		if strings.Contains(entry.URL, part) {
			return entry.ID
		}
	}
	text, _ := json.Marshal(history)
	p.t.Fatalf("no %s in %s", part, text)
	return 0
}

// TestExtensionAndACrash: the page's death takes its tools and calls with it, and nothing else.
func TestExtensionAndACrash(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("lifecycle.html"))
	c.open(t, pages.otherSite("lifecycle.html", "tool=b"))
	id, other := h.tab("127.0.0.1"), h.tab("localhost")
	h.has(other, "b")
	call := h.begin(id, "a-hangs", nil)
	p.happened("hanging")
	p.crash()
	if got := h.answer(call).text(); got != "error: the page crashed or was frozen while the tool ran" {
		t.Errorf("the call ended with %s", got)
	}
	h.lists(id)
	if got := h.call(other, "b", nil); !strings.Contains(got, "b ran") {
		t.Errorf("b answered %s", got)
	}
	p.page("Page.reload", nil, nil)
	h.lists(id, "a", "a-hangs")
}
