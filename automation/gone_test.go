package automation

import (
	"testing"

	"webmcphub/registry"
)

// TestClientGoneDuringACall: what a call takes after its client has gone is let go of when
// the call ends.
func TestClientGoneDuringACall(t *testing.T) {
	b := newFakeBrowser("https://a.example/", "https://b.example/")
	s := newService(b)
	one, two := newAgent(t, s, b, "1"), newAgent(t, s, b, "2")
	asked := false
	one.client.Current = func() *registry.Catalog {
		if !asked {
			asked = true
			s.ClientGone("1")
		}
		return b.current()
	}
	one.says("select_page", `{"pageId":1}`, "Page 1")
	two.says("list_pages", `{}`, "1: (untitled) https://a.example/\n2:")
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.current.Len(); n > 0 {
		t.Errorf("pages of clients that are gone: %d", n)
	}
	for _, tab := range s.tabs {
		if len(tab.users) > 0 {
			t.Errorf("a tab is used by %v", tab.users)
		}
	}
}
