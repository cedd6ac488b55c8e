package registry

import (
	"slices"
	"testing"
)

// TestTabsReopened: clients know tabs by their numbers.
func TestTabsReopened(t *testing.T) {
	s := NewState(Options{})
	var tabs []ReopenedTab
	for _, was := range []PageID{"a", "b", "c", "d", "e"} {
		s.Step(PageOpened{Page: was, URL: "https://x.example/"})
		s.Step(PageClosed{Page: was})
		tabs = append(tabs, ReopenedTab{Was: was})
	}
	for _, is := range []PageID{"f", "g"} {
		s.Step(PageOpened{Page: is, URL: "https://x.example/"})
	}
	tabs[0].Is, tabs[2].Is, tabs[1].Why, tabs[3].Why, tabs[4].Is = "f", "g", "it is long", "it is long", "gone"
	for e, want := range map[string]string{
		"": "Chrome crashed and was started again. Tabs were opened again by their addresses: tab 1 is now tab 6, tab 3 is now tab 7." +
			" Lost are what was entered in them, their history, session storage, focus and exclusive use; their uids mean nothing any more." +
			" Not opened again: tab 2, 4 (it is long). Not opened again: tab 5 (it was closed at once).",
		"work": "Chrome crashed (browser work) and was started again. Tabs were",
	} {
		said := slices.IndexFunc(s.Step(TabsReopened{e, tabs}), func(e Effect) bool {
			a, is := e.(Announce)
			return is && len(a.Text) >= len(want) && a.Text[:len(want)] == want
		})
		if said < 0 {
			t.Errorf("%q: clients aren't told %s", e, want)
		}
	}
}
