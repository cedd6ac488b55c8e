package registry

import (
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"

	"pgregory.net/rapid"
)

// TestSight: a client with a shorter limit gets the names that a hub of that
// limit gives, and the catalog of an unlisted client publishes nothing.
func TestSight(t *testing.T) {
	long := strings.Repeat("long_", 8) + "name"
	for _, naming := range []offer.Naming{offer.WebMCPNames, offer.MCPBNames} {
		named := func(max int) *Catalog {
			h := newHub(t, Options{MaxName: max, Naming: naming})
			h.open("A", "https://a-shop-with-a-long-name.example/")
			h.open("B", "https://b.example/")
			h.report("A", "add", long, long+"2")
			h.report("B", "add", long)
			return h.state.Catalog()
		}
		wide := named(128)
		for _, max := range []int{names.MinMaxName, 40, 51, 64} {
			want := named(max)
			got := wide.WithOptions(ListOptions{MaxName: max})
			if a, b := namesOf(got.Tools()), namesOf(want.Tools()); !slices.Equal(a, b) {
				t.Errorf("%v, %d bytes: got\n%q, want\n%q", naming, max, a, b)
			}
			for i, h := range got.Tools() {
				if w := want.Tools()[i]; string(h.Encoded) != string(w.Encoded) || got.Lookup(h.Name) != h {
					t.Errorf("%s is %s, want %s", h.Name, h.Encoded, w.Encoded)
				}
			}
			for i, tab := range got.Tabs() {
				if a, b := namesOf(tab.Tools), namesOf(want.Tabs()[i].Tools); !slices.Equal(a, b) {
					t.Errorf("tab %d has %q, want %q", i, a, b)
				}
			}
			// What a client saw before a page closed means the same after it.
			for _, h := range got.Tools() {
				if is, err := Resolve(got, got, h.Name, everybody); err != nil || is != h {
					t.Errorf("%s: %v, %v", h.Name, is, err)
				}
			}
		}
		if wide.WithOptions(ListOptions{MaxName: 128}) != wide || wide.WithOptions(ListOptions{}) != wide {
			t.Error("a catalog that needs no change was copied")
		}
		none := wide.WithOptions(ListOptions{Unlisted: true})
		if none.Len() != 0 || len(none.SiteTools()) != 0 || len(none.Tabs()) != 2 || len(none.Tabs()[0].Tools) != 3 || none.Tab("A") == nil {
			t.Errorf("unlisted: %d tools", none.Len())
		}
		if len(none.Tabs()[0].Published()) != 0 || wide.Len() == 0 || len(wide.Tabs()[0].Published()) != 3 {
			t.Error("the catalog that others see was changed")
		}
	}
}

// TestSightNames: whatever pages offer, each name is there once and fits.
func TestSightNames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newHub(t, Options{MaxName: 128})
		tool := rapid.StringMatching(`[ab-]{1,70}`)
		for _, p := range []PageID{"A", "B", "C"} {
			h.open(p, rapid.SampledFrom([]string{"https://a.example/", "https://" + strings.Repeat("b", 60) + ".example/"}).Draw(r, "url"))
			h.report(p, rapid.SliceOfNDistinct(tool, 0, 6, rapid.ID).Draw(r, "tools")...)
		}
		max := rapid.IntRange(names.MinMaxName, 128).Draw(r, "max")
		was := h.state.Catalog()
		now := was.WithOptions(ListOptions{MaxName: max})
		seen := map[string]bool{}
		for _, h := range now.Tools() {
			if len(h.Name) > max || seen[h.Name] || now.Lookup(h.Name) != h {
				r.Fatalf("%s", h.Name)
			}
			seen[h.Name] = true
		}
		if now.Len() != was.Len() {
			r.Fatalf("%d tools, before %d", now.Len(), was.Len())
		}
	})
}

func namesOf(tools []*HubTool) (names []string) {
	for _, h := range tools {
		names = append(names, h.Name)
	}
	return names
}
