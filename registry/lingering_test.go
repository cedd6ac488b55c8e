package registry

import "testing"

// Tools that linger are found by their names and listed nowhere, and published ones come first.
func TestLingering(t *testing.T) {
	published, gone, other := &HubTool{Name: "a"}, &HubTool{Name: "b"}, &HubTool{Name: "a"}
	c := &Catalog{tools: []*HubTool{published}}
	l := c.WithRetired([]*HubTool{other, gone})
	if l.Lookup("b") != gone || l.Lookup("a") != published || l.Lookup("c") != nil || l.Len() != 1 || len(l.Tools()) != 1 {
		t.Errorf("found %v, %v, and %d listed", l.Lookup("a"), l.Lookup("b"), l.Len())
	}
	if c.Lookup("b") != nil {
		t.Error("the catalog before has changed")
	}
}

// A page has the number that it is opened with, and otherwise the next.
func TestNumberedPages(t *testing.T) {
	s := NewState(Options{StableIndex: true})
	s.Step(PageOpened{Page: "A", URL: "https://a.test/", Tab: 4711})
	s.Step(PageOpened{Page: "B", URL: "https://b.test/"})
	s.Step(FlushDue{})
	if a, b := s.Catalog().Tab("A"), s.Catalog().Tab("B"); a.ID != 4711 || a.Index != 4710 || b.ID <= 0 || b.ID == a.ID {
		t.Errorf("the tabs are %d (%d) and %d", a.ID, a.Index, b.ID)
	}
}
