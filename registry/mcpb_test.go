package registry

import (
	"testing"
	"webmcphub/registry/offer"
)

// Two hosts may look alike in names, but not in descriptions.
func TestDescriptionsFollowTheSite(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.open("A", "https://a-b.test/")
	h.report("A", "x")
	h.navigate("A", "https://a_b.test/")
	h.report("A", "x")
	for _, name := range []string{"website_tool_a_b_test_x", "website_tool_a_b_test_tab1_x"} {
		if got := h.server[name]; got == nil || got.Description != "[WebMCP • a_b.test • Tab 1] No description" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The browser may say which tab is at the front before the tab is known.
func TestATabThatWasAtTheFrontBefore(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.step(FrontTaken{Page: "A"})
	h.open("A", "https://a.test/")
	h.report("A", "x")
	if got := h.server["website_tool_a_test_tab1_x"]; got == nil || got.Description != "[WebMCP • a.test • Tab 1 Active] No description" {
		t.Errorf("got %+v", got)
	}
}
