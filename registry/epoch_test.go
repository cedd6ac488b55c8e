package registry

import (
	"slices"
	"testing"
	"webmcphub/registry/offer"
)

// What a predecessor still had to say counts in no way, whatever it is.
func TestAPredecessorIsNotHeard(t *testing.T) {
	h := newHub(t, Options{})
	h.step(PageOpened{Page: "a", URL: "https://a.example/", Epoch: 1})
	h.step(PageClosed{"a"})
	h.step(PageOpened{Page: "a", URL: "https://a.example/", Title: "A", Epoch: 2})
	h.open("b", "https://b.example/")
	h.step(PageInFront{"b"})
	old, now := Epoch(1), Epoch(2)
	for _, e := range []Event{
		Navigated{Page: "a", Gen: old.FirstGen() + 9, URL: "https://evil.example/"},
		PageChanged{Page: "a", URL: "https://evil.example/", Title: "Evil", State: "crashed"},
		ToolsReported{"a", 0, []*PageTool{{Name: "x"}}},
		FramesReported{Page: "a"},
		PageInFront{"a"},
	} {
		if effects := h.step(PageEvent{"a", old, e}); len(effects) > 0 {
			t.Errorf("%T led to %v", e, effects)
		}
		if h.state.heed(PageEvent{"a", old, e}) != nil {
			t.Errorf("%T is heeded", e)
		}
	}
	h.flush()
	if tab := h.state.Catalog().Tab("a"); tab.URL != "https://a.example/" || tab.Title != "A" || tab.State != "" || len(tab.Tools) != 0 {
		t.Errorf("the page is %+v", tab)
	}
	gen := now.FirstGen() + 1
	h.step(PageEvent{"a", now, Navigated{Page: "a", Gen: gen, URL: "https://a.example/2"}})
	h.step(PageEvent{"a", now, ToolsReported{"a", gen, []*PageTool{{Name: "x", Frame: "a", Doc: gen, Runtime: offer.Native}}}})
	h.flush()
	h.want("webmcp_a_example_page0_x")
	if effects := h.step(PageEvent{"a", now, PageInFront{"a"}}); !slices.Contains(effects, Effect(UserSwitched{"a"})) {
		t.Errorf("the page's own word led to %v", effects)
	}
	if h.state.heed(PageEvent{Page: "gone", Epoch: now, Event: PageInFront{"gone"}}) != nil {
		t.Error("a page that is not there is heeded")
	}
}

// What is about a document that the page no longer shows, or about no page, isn't
// heeded either, whoever says it.
func TestReportsOfOldDocumentsAreNotHeard(t *testing.T) {
	h := newHub(t, Options{})
	h.step(PageOpened{Page: "a", URL: "https://a.example/"})
	h.step(Navigated{Page: "a", Gen: 5, URL: "https://a.example/"})
	h.step(OffersReported{Page: "a", Gen: 5})
	for page, gens := range map[PageID][]Gen{"a": {3, 4}, "gone": {5, 6}} {
		for _, gen := range gens {
			for _, e := range []Event{Navigated{Page: page, Gen: gen}, FramesReported{Page: page, Gen: gen}, ToolsReported{Page: page, Gen: gen}, OffersReported{Page: page, Gen: gen}} {
				if h.state.heed(e) != nil {
					t.Errorf("%+v is heeded", e)
				}
			}
		}
	}
	for _, e := range []Event{Navigated{Page: "a", Gen: 6}, FramesReported{Page: "a", Gen: 5}, ToolsReported{Page: "a", Gen: 5}, OffersReported{Page: "a", Gen: 6}} {
		if h.state.heed(e) == nil {
			t.Errorf("%+v is not heeded", e)
		}
	}
}
