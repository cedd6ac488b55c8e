package cdp

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/registry"
)

// A tool set is a map whose lists are sorted, and never change once they are given.
func TestToolSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set toolSet
		want := map[string]*registry.PageTool{}
		type given struct{ list, copied []*registry.PageTool }
		var lists []given
		name := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "é"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				tool := &registry.PageTool{Name: name.Draw(t, "name")}
				set.put(tool)
				want[tool.Name] = tool
			},
			"remove": func(t *rapid.T) {
				n := name.Draw(t, "name")
				set.remove(n)
				delete(want, n)
			},
			"list": func(t *rapid.T) {
				l := set.list()
				lists = append(lists, given{l, slices.Clone(l)})
			},
			"": func(t *rapid.T) {
				var sorted []*registry.PageTool
				for _, n := range slices.Sorted(maps.Keys(want)) {
					sorted = append(sorted, want[n])
				}
				if !slices.Equal(set.sorted, sorted) {
					t.Fatalf("it has %v, want %v", set.sorted, sorted)
				}
				for _, n := range []string{"", "a", "b", "c", "d", "é"} {
					if set.get(n) != want[n] {
						t.Fatalf("%q is %v, want %v", n, set.get(n), want[n])
					}
				}
				for _, l := range lists {
					if !slices.Equal(l.list, l.copied) {
						t.Fatal("a list that was given has changed")
					}
				}
			},
		})
	})
}
