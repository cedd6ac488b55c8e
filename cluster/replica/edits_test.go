package replica

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// Whatever a page's tools become, in whatever order, its edit makes just that of what it had.
func TestRetool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := func(n uint64) wire.Tool { return wire.Tool{Name: fmt.Sprint("t", n), Number: n} }
		page := wire.Page{ID: "p"}
		had := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 40), 0, 40, rapid.ID).Draw(t, "had")
		for _, n := range had {
			page.Tools = append(page.Tools, tool(n))
		}
		kept := slices.DeleteFunc(slices.Clone(had), func(uint64) bool { return rapid.IntRange(0, 3).Draw(t, "goes") == 0 })
		is, edit := slices.Clone(kept), &wire.ToolChanges{}
		for i := range rapid.IntRange(0, 5).Draw(t, "new") {
			is = append(is, uint64(100+i))
			edit.New = append(edit.New, tool(uint64(100+i)))
		}
		if rapid.Bool().Draw(t, "mixed") {
			is = rapid.Permutation(is).Draw(t, "order")
		}
		edit.Numbers = wire.Runs(slices.Values(is))
		was := heldPage(&page, factsOf(nodeName, &page, nil))
		now, why, known := was.edited(nodeName, &wire.Edit{ID: "p", Tools: edit})
		if why != "" || !known {
			t.Fatalf("left out for %q, known: %v", why, known)
		}
		var got []uint64
		for i, held := range now.tools {
			if got = append(got, held.number); now.facts.Tools[i].Name != fmt.Sprint("t", held.number) {
				t.Fatalf("%d is %s", held.number, now.facts.Tools[i].Name)
			}
		}
		if !slices.Equal(got, is) || len(now.facts.Tools) != len(is) {
			t.Fatalf("it has %v, and %v are told", got, is)
		}
		edit.Numbers = append(edit.Numbers, wire.Run{200, 1})
		if _, _, known := was.edited(nodeName, &wire.Edit{ID: "p", Tools: edit}); known {
			t.Fatal("a tool is known that isn't there")
		}
		if before := heldPage(&page, factsOf(nodeName, &page, nil)); !slices.EqualFunc(before.facts.Tools, was.facts.Tools, (*registry.PageTool).Same) {
			t.Fatal("what was there before has changed")
		}
	})
}
