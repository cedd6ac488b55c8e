package registry

import (
	"testing"
	"webmcphub/registry/offer"
)

// TestAnew: a State that takes over from a failed one. TestProperties has more.
func TestRecover(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example")
	h.open("b", "https://b.example")
	h.report("a", "x", "y")
	h.report("b", "z")
	seen, notices := h.state.Catalog(), h.notices

	h.state = h.state.Recover(h.state.Catalog())
	for _, p := range []PageID{"b", "a"} { // several browsers' keepers tell of theirs in any order
		h.open(p, "https://"+string(p)+".example")
	}
	h.want("webmcp_a_example_page0_x", "webmcp_a_example_page0_y", "webmcp_b_example_page1_z") // until it is flushed
	tools := []*PageTool{{Name: "x", Frame: "a", Doc: h.gens["a"], Runtime: offer.Native}}
	h.step(ToolsReported{"a", h.gens["a"], tools})
	h.flush()
	h.want("webmcp_a_example_page0_x")
	if h.notices != notices+1 {
		t.Errorf("%d notices for one change", h.notices-notices)
	}
	for _, p := range []PageID{"a", "b"} {
		if was, is := seen.Tab(p), h.state.Catalog().Tab(p); was.ID != is.ID || was.Index != is.Index {
			t.Errorf("page %s was tab %d at %d, and is %d at %d", p, was.ID, was.Index, is.ID, is.Index)
		}
	}
	h.open("c", "https://c.example")
	h.flush()
	if id := h.state.Catalog().Tab("c").ID; id != 3 {
		t.Errorf("the third tab is %d", id)
	}
}
