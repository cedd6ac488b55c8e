package registry

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"webmcphub/registry/sanitize"
)

// soon fails the test if f takes so long that it must be an endless loop, or
// work that grows with the square of what a page can register.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	start := time.Now()
	go func() { defer close(done); f() }()
	select {
	case <-done:
		t.Logf("%s took %v", what, time.Since(start).Round(time.Microsecond))
	case <-time.After(2 * time.Minute):
		panic(what + " does not end")
	}
}

// A chain in which every page takes the plain name of the next: pages are
// named again and again until nobody lost a name, and no longer.
func TestRenamingEnds(t *testing.T) {
	const pages = 30
	h := newHub(t, Options{MaxName: 1000})
	for i := range pages {
		// Page i is a.page0.page1…, and its tools fill up what is missing to
		// the one long name that they all want.
		h.open(PageID(fmt.Sprint("p", i)), "https://"+chain("a", ".", 0, i))
	}
	report := func(i int) {
		tool := &PageTool{Name: strings.TrimPrefix(chain("", "_", i+1, pages)+"_x", "_")}
		h.step(ToolsReported{PageID(fmt.Sprint("p", i)), 1, []*PageTool{tool}})
	}
	wanted := "webmcp_" + chain("a", "_", 0, pages) + "_x"
	soon(t, "taking over from the last page to the first", func() {
		for i := pages - 1; i >= 0; i-- {
			report(i)
			h.flush()
			if got := h.server[wanted]; got == nil || got.Route.Page != PageID(fmt.Sprint("p", i)) {
				t.Errorf("the name leads to %v, want page %d", got, i)
			}
		}
	})
	soon(t, "handing down from the first page to the last", func() {
		for i := range pages {
			h.step(ToolsReported{PageID(fmt.Sprint("p", i)), 1, nil})
			h.flush()
			if got := h.server[wanted]; i < pages-1 && (got == nil || got.Route.Page != PageID(fmt.Sprint("p", i+1))) {
				t.Errorf("the name leads to %v, want page %d", got, i+1)
			}
		}
	})
	h.want()
	soon(t, "all at once", func() {
		for i := pages - 1; i >= 0; i-- {
			report(i)
		}
		h.flush()
		if len(h.server) != pages {
			t.Errorf("%d tools, want %d", len(h.server), pages)
		}
	})
}

// chain writes head, then page numbers from first to last-1.
func chain(head, sep string, first, last int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := first; i < last; i++ {
		fmt.Fprintf(&b, "%spage%d", sep, i)
	}
	return b.String()
}

// What a hostile page can register in numbers must not stop the hub.
func TestHostileNumbers(t *testing.T) {
	t.Run("one name in many frames", func(t *testing.T) {
		var tools []*PageTool
		for i := range 5000 {
			tools = append(tools, &PageTool{Frame: FrameID(fmt.Sprint("f", i)), Name: "x"})
		}
		h := newHub(t, Options{MaxTools: 1 << 20})
		h.open("p0", "https://evil.example")
		soon(t, "naming", func() { h.reportTools("p0", tools...) })
		if len(h.server) != len(tools) {
			t.Errorf("%d tools of %d published", len(h.server), len(tools))
		}
	})
	t.Run("one name in one frame", func(t *testing.T) {
		var tools []*PageTool
		for range 5000 {
			tools = append(tools, &PageTool{Name: "x"})
		}
		h := newHub(t, Options{MaxTools: 1 << 20})
		h.open("p0", "https://evil.example")
		soon(t, "naming", func() { h.reportTools("p0", tools...) })
		const attempts = 8 // a name is looked for so often
		if len(h.server) != attempts {
			t.Errorf("%d tools published, want %d", len(h.server), attempts)
		}
	})
	t.Run("the largest schemas", func(t *testing.T) {
		schema := []byte(`{"anyOf":[` + strings.Repeat(`{"properties":{"a":{"description":"\ud800"}},"required":["a"]},`, 4000) + `{}]}`)
		if len(schema) > sanitize.MaxSchema {
			t.Fatal("too long to be a test")
		}
		var tools []*PageTool
		for i := range 20 {
			tools = append(tools, &PageTool{Name: fmt.Sprint("x", i), InputSchema: schema})
		}
		h := newHub(t, Options{MaxTools: 1 << 20})
		h.open("p0", "https://evil.example")
		soon(t, "sanitizing", func() { h.reportTools("p0", tools...) })
		if len(h.server) != len(tools) {
			t.Errorf("%d tools of %d published", len(h.server), len(tools))
		}
	})
}
