package registry

import (
	"fmt"
	"slices"
	"testing"
)

func TestRegistrations(t *testing.T) {
	h := newHub(t, originsOptions(t, "", "https://bad.example"))
	was := h.state.Catalog()
	want := func(lines ...string) {
		t.Helper()
		h.flush()
		now := h.state.Catalog()
		var got []string
		for _, r := range ToolChanges(was, now) {
			got = append(got, fmt.Sprintf("%s %d %s %s %s%s", r.Kind, r.Tab, r.Origin, r.Tool, r.Name, r.Why))
		}
		was = now
		if !slices.Equal(got, lines) {
			t.Errorf("got %q\nwant %q", got, lines)
		}
	}
	h.open("A", "https://a.example/")
	h.open("B", "https://b.example/")
	want()
	one := &PageTool{Name: "one", Frame: "A", Doc: 1, Description: "x"}
	h.reportTools("A", one, &PageTool{Name: "two", Frame: "A", Doc: 1})
	h.report("B", "b")
	want("added 1 https://a.example one webmcp_a_example_page0_one", "added 1 https://a.example two webmcp_a_example_page0_two", "added 2 https://b.example b webmcp_b_example_page1_b")
	again, changed := *one, *one
	h.reportTools("A", &again)
	want("removed 1 https://a.example two webmcp_a_example_page0_two")
	changed.Description = "y"
	h.reportTools("A", &changed)
	want("updated 1 https://a.example one webmcp_a_example_page0_one")
	h.step(PageClosed{"A"})
	want("removed 1 https://a.example one webmcp_a_example_page0_one") // and B's only has another name
	h.navigate("B", "https://bad.example/")
	h.report("B", "b")
	want("removed 2 https://b.example b webmcp_b_example_page0_b", "refused 2 https://bad.example (all) https://bad.example is denied (--deny-origin)")
}
