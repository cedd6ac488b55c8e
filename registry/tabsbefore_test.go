package registry

import "testing"

// TestTabsBefore: tabs have the ids that another hub gave them, and new ones
// have none that it gave to others.
func TestTabsBefore(t *testing.T) {
	s := NewState(Options{StableIndex: true, Before: TabsBefore{Last: 7, Tabs: []TabBefore{{Page: "b", ID: 3}, {Page: "gone", ID: 4}, {Page: "a", ID: 2}}}})
	for _, page := range []PageID{"new", "a", "b"} {
		s.Step(PageOpened{Page: page, URL: "https://x.example/"})
	}
	s.Step(FlushDue{})
	for page, want := range map[PageID]TabID{"new": 8, "a": 2, "b": 3} {
		if tab := s.Catalog().Tab(page); tab.ID != want || tab.Index != int(want)-1 {
			t.Errorf("tab %s has id %d and index %d", page, tab.ID, tab.Index)
		}
	}
}
