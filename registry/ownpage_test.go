package registry

import (
	"testing"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

const ownURL = "http://127.0.0.1:4711/room/"

func newOwnHub(t *testing.T) *hub {
	return newHub(t, Options{Origins: (*names.Origins)(nil).WithOwn(names.NewOwn("4711"))})
}

// tabs are the addresses in the catalog that was served last.
func (h *hub) wantTabs(want ...string) {
	h.t.Helper()
	h.flush()
	tabs := h.served.Tabs()
	if len(tabs) != len(want) {
		h.t.Fatalf("%d tabs are listed, want %q", len(tabs), want)
	}
	for i, tab := range tabs {
		if tab.URL != want[i] || tab.Index != i {
			h.t.Errorf("tab %d is at %q with the index %d, want %q", i, tab.URL, tab.Index, want[i])
		}
	}
}

func TestTheHubsOwnPageIsInNoCatalog(t *testing.T) {
	h := newOwnHub(t)
	h.step(PageOpened{Page: "own", URL: ownURL})
	h.step(PageOpened{Page: "A", URL: "https://a.example/"})
	h.wantTabs("https://a.example/")

	// It leaves for a site, at once or by way of an address that isn't told yet.
	h.step(PageEvent{"own", 0, Navigated{Page: "own", Gen: 1, URL: ownURL}})
	h.step(PageEvent{"own", 0, PageChanged{Page: "own", Title: "WebMCP Hub"}})
	h.wantTabs("https://a.example/")
	h.step(PageEvent{"own", 0, Navigated{Page: "own", Gen: 2}})
	h.step(PageEvent{"own", 0, ToolsReported{"own", 2, []*PageTool{{Name: "x", Doc: 2, FrameURL: "https://b.example/"}}}})
	h.wantTabs("https://a.example/")
	h.step(PageEvent{"own", 0, PageChanged{Page: "own", URL: "https://b.example/"}})
	h.wantTabs("https://a.example/", "https://b.example/")
	h.want("webmcp_b_example_page1_x")

	// A tab goes to it: its tools go, and the places move up.
	h.navigate("A", "https://a.example/2")
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 5, URL: ownURL}})
	h.wantTabs("https://b.example/")
	h.want("webmcp_b_example_page0_x")
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 6, URL: "https://a.example/3"}})
	h.step(PageEvent{"A", 0, ToolsReported{"A", 6, []*PageTool{{Name: "y", Doc: 6, FrameURL: "https://a.example/3"}}}})
	h.wantTabs("https://b.example/", "https://a.example/3")
	h.want("webmcp_b_example_page0_x", "webmcp_a_example_page1_y")

	// One whose address comes later, and one that has only its origin.
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 7}})
	h.step(PageEvent{"A", 0, PageChanged{Page: "A", URL: "about:blank", Origin: "http://127.0.0.1:4711"}})
	h.wantTabs("https://b.example/")

	// It is closed, and what comes after that is about no tab.
	h.step(PageClosed{"A"})
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 8, URL: "https://a.example/"}})
	h.wantTabs("https://b.example/")
}

// What the actor before had to say doesn't bring the page back.
func TestTheHubsOwnPageHeedsWhoeverHasTheSay(t *testing.T) {
	h := newOwnHub(t)
	h.step(PageOpened{Page: "own", URL: ownURL, Epoch: 2})
	h.step(PageEvent{"own", 1, Navigated{Page: "own", Gen: 9, URL: "https://a.example/"}})
	h.wantTabs()
	h.step(PageEvent{"own", 2, Navigated{Page: "own", Gen: Epoch(2).FirstGen() + 1, URL: "https://a.example/"}})
	h.wantTabs("https://a.example/")
	h.step(PageEvent{"own", 1, Navigated{Page: "own", Gen: Epoch(2).FirstGen() + 2, URL: ownURL}})
	h.wantTabs("https://a.example/")
	h.step(PageClosed{"own"})
	h.step(PageOpened{Page: "own", URL: ownURL, Epoch: 3})
	h.step(PageOpened{Page: "own", URL: "https://a.example/", Epoch: 4}) // its actor was replaced
	h.wantTabs("https://a.example/")
}

// TestAnotherHubsPageIsInNoCatalog: a hub without such a page hides those of others, of which
// one may have ended with its tab still open.
func TestAnotherHubsPageIsInNoCatalog(t *testing.T) {
	h := newHub(t, Options{})
	const other = "http://127.0.0.1:5000" + names.LivePath + "X/"
	h.step(PageOpened{Page: "old", URL: other})
	h.step(PageEvent{"old", 0, Navigated{Page: "old", Gen: 1, URL: other}})
	h.wantTabs()
	h.step(PageOpened{Page: "A", URL: "https://a.example/"})
	h.wantTabs("https://a.example/")
}

// TestATabKeepsItsBrowserBeyondTheHubsOwnPage: the rules of its browser hold for a tab also after it has shown the
// hub's own page, and what that page says to clients doesn't reach them.
func TestATabKeepsItsBrowserBeyondTheHubsOwnPage(t *testing.T) {
	h := newOwnHub(t)
	rules, err := names.ParseOrigins(nil, []string{"https://b.example"})
	if err != nil {
		t.Fatal(err)
	}
	h.step(BrowsersNamed{Browsers: []NamedBrowser{{Name: "work"}}})
	h.step(PageOpened{Page: "A", Browser: "work", URL: "https://a.example/", Origins: rules})
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 1, URL: ownURL}})
	h.wantTabs()
	for _, said := range []Event{PageLogged{Server: DocumentRef{Page: "A"}}, ResourcesUpdated{Server: DocumentRef{Page: "A"}}} {
		if effects := h.state.Step(PageEvent{"A", 0, said}); len(effects) != 0 {
			t.Errorf("%T of the hub's own page leads to %v", said, effects)
		}
	}
	h.step(PageInFront{"A"})
	h.step(PageEvent{"A", 0, Navigated{Page: "A", Gen: 2, URL: "https://b.example/"}})
	h.step(PageEvent{"A", 0, ToolsReported{"A", 2, []*PageTool{{Name: "x", Doc: 2, FrameURL: "https://b.example/"}}}})
	h.wantTabs("https://b.example/")
	h.want()
	if tab := h.served.Tabs()[0]; tab.Browser != "work" || tab.Active {
		t.Errorf("the tab is %+v", tab)
	}
}

// TestAHiddenTabKeepsItsDocumentsReports: what a document reports while its tab is hidden isn't reported again when the
// address turns out to be another, so it must not be dropped. Only that address says whose document it was: a gateway
// that reads pages' states learns of two navigations at once, and then has the address of the first with the document of
// the second; and an address changes by history.pushState.
func TestAHiddenTabKeepsItsDocumentsReports(t *testing.T) {
	h := newOwnHub(t)
	h.open("A", "https://a.example/")
	h.step(EventBatch{
		PageEvent{"A", 0, Navigated{Page: "A", Gen: 3, URL: ownURL}},
		PageEvent{"A", 0, FramesReported{Page: "A", Gen: 3, Frames: []Frame{{ID: "F", Doc: 4, URL: "https://b.example/f"}}}},
		PageEvent{"A", 0, ToolsReported{"A", 3, []*PageTool{{Name: "x", Doc: 3, FrameURL: "https://b.example/"}}}},
		PageEvent{"A", 0, OffersReported{Page: "A", Gen: 3, Prompts: []*offer.PagePrompt{{Name: "p"}}}},
	})
	h.wantTabs()
	h.step(PageEvent{"A", 0, PageChanged{Page: "A", URL: "https://b.example/"}})
	h.wantTabs("https://b.example/")
	h.want("webmcp_b_example_page0_x")
	if frames := h.served.Tabs()[0].frames; len(frames) != 1 {
		t.Errorf("its frames are %v", frames)
	}
	if pages := h.served.Offered().Pages(); len(pages) != 1 {
		t.Errorf("%d pages offer something", len(pages))
	}
}
