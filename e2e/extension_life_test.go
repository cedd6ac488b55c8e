package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// shows waits until the popup's headline is this.
func (p *tab) shows(headline string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.getElementById('status').textContent === %q`, headline))
}

// TestExtensionOutlivesItsWorker, which Chrome ends whenever it rests.
func TestExtensionOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("lifecycle.html", "tool=a"))
	id := h.tab("tool=a")
	h.has(id, "a")
	call := h.begin(id, "a-hangs", nil)
	p.happened("hanging")
	c.evict()
	if got := h.call(id, "a", nil); !strings.Contains(got, "a ran") {
		t.Errorf("a answered %s", got)
	}
	p.eval(`addTool({ name: 'more' }), true`)
	h.lists(id, "a", "a-hangs", "more")
	if h.connections != 1 {
		t.Errorf("the worker's end cost the connection: %d", h.connections)
	}

	c.evict()
	p.navigate(pages.url("lifecycle.html", "tool=b"))
	if got := h.answer(call).text(); !strings.Contains(got, "the page navigated to") {
		t.Errorf("the call ended with %s", got)
	}
	h.lists(id, "b", "b-hangs")

	c.evict()
	second := c.open(t, pages.url("lifecycle.html", "tool=c"))
	h.lists(h.tab("tool=c"), "c", "c-hangs")
	c.evict()
	second.close()
	h.wait("the tab's end", func() bool { return len(h.tabs) == 1 })
	c.evict()
	if m := h.order(map[string]any{"type": "openTab", "url": pages.url("plain.html"), "focus": true}); m.Error != nil {
		t.Errorf("openTab was answered with %s", m.text())
	}
	if h.connections != 1 {
		t.Errorf("the worker's end cost the connection: %d", h.connections)
	}
}

// TestExtensionFindsTheNextHub: the hub ends and comes back, and is told the whole truth.
func TestExtensionFindsTheNextHub(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("lifecycle.html", "tool=a"))
	gone := c.open(t, pages.url("lifecycle.html", "tool=gone"))
	id := h.tab("tool=a")
	h.has(id, "a")
	h.has(h.tab("tool=gone"), "gone")
	call := h.begin(id, "a-hangs", nil)
	p.happened("hanging")
	_ = call
	popup := c.popup()
	popup.shows("Connected")
	h.stop()
	popup.shows("The hub is not running")
	popup.close()
	p.eval(`addTool({ name: 'more' }), true`)
	gone.close()
	c.open(t, pages.url("lifecycle.html", "tool=new"))

	next := startScriptedHub(t, pairingToken, h.port)
	next.wait("the extension", func() bool { return next.browser != nil })
	next.lists(id, "a", "a-hangs", "more")
	next.lists(next.tab("tool=new"), "new", "new-hangs")
	next.wait("only the open tabs", func() bool { return len(next.tabs) == 2 })
	if next.browser["instance"] != h.browser["instance"] {
		t.Error("the browser is another one after the hub's restart")
	}
	if got := next.call(id, "a", nil); !strings.Contains(got, "a ran") {
		t.Errorf("a answered %s", got)
	}
}

func TestExtensionPairing(t *testing.T) {
	t.Parallel()
	h := startScriptedHub(t, pairingToken, "")
	c := sharedExtended(t, true)
	c.open(t, pages.url("lifecycle.html", "tool=a"))
	p := c.popup()
	p.shows("Not paired")
	enter := func(port, token string) {
		p.waitFor(`document.getElementById('port').value !== ''`)
		p.eval(fmt.Sprintf(`document.getElementById('port').value = %q, document.getElementById('token').value = %q, document.getElementById('save').click()`, port, token))
	}
	asks := func(form, again bool) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.getElementById('save').checkVisibility() === %v && document.getElementById('again').checkVisibility() === %v`, form, again))
	}
	asks(true, false)
	enter(h.port, "not-the-token")
	p.shows("Wrong token")
	asks(true, false)
	enter(h.port, pairingToken)
	p.shows("Connected")
	asks(false, false)
	id := h.tab("tool=a")
	h.lists(id, "a", "a-hangs")
	p.waitFor(`document.getElementById('tabs').textContent.includes('a-hangs')`)

	// Another connection of the same browser has taken its place.
	h.replace()
	p.shows("Replaced")
	asks(false, true)
	if h.refused != 1 {
		t.Errorf("the wrong token was tried %d times", h.refused)
	}
	p.eval(`document.getElementById('again').click()`)
	p.shows("Connected")
	h.lists(id, "a", "a-hangs")
}

// TestExtensionReload: an update or a reload by hand, with pages open, leaves
// nothing double and nothing behind. So does an install: it is the same event.
func TestExtensionReload(t *testing.T) {
	t.Parallel()
	h, c := hubAndOwnChrome(t, true)
	p := c.open(t, pages.url("lifecycle.html", "tool=a", "src="+pages.otherSite("lifecycle.html", "tool=other")))
	id := h.tab("tool=a")
	h.lists(id, "a", "a-hangs", "other", "other-hangs")
	c.developerMode()
	for i := range 2 {
		popup := c.popup()
		popup.eval(`setTimeout(() => chrome.runtime.reload(), 0), true`)
		h.wait("the next connection", func() bool { return h.connections == i+2 && h.browser != nil })
		h.lists(id, "a", "a-hangs", "other", "other-hangs")
		for _, tool := range []string{"a", "other"} {
			if got := h.call(id, tool, nil); !strings.Contains(got, tool+" ran") {
				t.Errorf("%s answered %s", tool, got)
			}
		}
		p.eval(fmt.Sprintf(`addTool({ name: 'more%d' }), true`, i))
		h.has(id, fmt.Sprintf("more%d", i))
		p.eval(`modelContext.count = 0, true`)
		p.reload()
		h.lists(id, "a", "a-hangs", "other", "other-hangs")
	}
}
