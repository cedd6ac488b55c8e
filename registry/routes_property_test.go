package registry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// TestRoutesAreMadeAnewWhereTheyMust: whatever happens, the tools of sites are
// those that come out when all are made anew.
func TestRoutesAreMadeAnewWhereTheyMust(t *testing.T) {
	hosts := []string{"https://a-b.test/", "https://a.b.test/", "https://a.b.test/x", "https://a.b.test/y", "https://shop.test/", "https://shop.test/?cart", "https://shop.test/", "http://shop.test/", "http://shop.test:8080/", "https://shop.test:444/", "file:///x", "http://file/", "https://denied.test/", "https://shop.test/", "https://shop.test/a", "https://shop.test/b"}
	known := []string{"x", "x-y", "x_y", "tab1_x", "tab2_x", "tab3_x"}
	origins, err := names.ParseOrigins(nil, []string{"https://denied.test"})
	if err != nil {
		t.Fatal(err)
	}
	suffixes, cached, several := 0, 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := NewState(Options{Naming: offer.MCPBNames, Origins: origins, MaxPages: 4})
		pick := func(all []string) string { return all[r.IntN(len(all))] }
		tool := func() *PageTool {
			return &PageTool{Name: pick(known), Frame: FrameID(pick([]string{"main", "other"})), Doc: Gen(r.IntN(8) / 7), Origin: pick([]string{"", "", "", "", "", "https://shop.test", names.OpaqueOrigin}), Description: fmt.Sprint(r.IntN(2))}
		}
		gen := Gen(1)
		for step := range 150 {
			id := PageID(fmt.Sprint(r.IntN(6)))
			var e Event
			switch r.IntN(11) {
			case 0, 1:
				e = PageOpened{Page: id, URL: pick(hosts)}
			case 2:
				e = PageClosed{Page: id}
			case 3:
				gen++
				e = Navigated{Page: id, Gen: gen, URL: pick(hosts)}
			case 4, 5, 6:
				var list []*PageTool
				for range r.IntN(4) {
					list = append(list, tool())
				}
				if p := s.pages[id]; p != nil {
					for _, t := range list {
						t.Doc += p.Gen // its own, or a frame's
					}
					e = ToolsReported{Page: id, Gen: p.Gen, Tools: list}
				}
			case 7:
				e = PageInFront{id}
			case 8:
				var c CacheChanged
				for range r.IntN(4) {
					url := pick(hosts)
					c.Tools = append(c.Tools, offer.CachedTool{Site: names.SiteOf(url), URL: url, Tool: *tool()})
				}
				e = c
			case 9:
				e = PageChanged{Page: id, URL: pick(hosts), State: []string{"", "", "crashed"}[r.IntN(3)]}
			}
			if e == nil {
				continue
			}
			s.Step(e)
			if r.IntN(3) == 0 { // the next comes at once
				continue
			}
			s.Step(FlushDue{})
			s.Step(FlushDue{})
			if r.IntN(40) == 0 {
				s = recoverAndTell(s)
			}
			published := s.sites.Published()
			if c := s.catalog; c.Len() == 0 && len(published) > 0 {
				t.Fatal("a catalog without tools has routed ones")
			}
			for _, h := range published {
				if h.SiteTool.Tabs > 0 && h.SiteTool.Tabs != tabsThatHave(s, h.SiteTool) {
					t.Fatalf("%s says %d tabs, %d have it", h.Name, h.SiteTool.Tabs, tabsThatHave(s, h.SiteTool))
				}
				if !origins.Permits(h.SiteTool.Opens) {
					t.Fatalf("%s would open %s", h.Name, h.SiteTool.Opens)
				}
			}
			if all := madeAnew(s); !slices.Equal(published, all) {
				t.Fatalf("seed %d, step %d, %#v: published are %v, all would be %v", seed, step, e, routeNames(published), routeNames(all))
			}
			if !slices.Equal(s.catalog.SiteTools(), published) || !slices.IsSortedFunc(published, compareNames) {
				t.Fatalf("the catalog has %v", routeNames(s.catalog.SiteTools()))
			}
			for _, h := range published {
				if c := s.catalog.Lookup(h.Name); c != h {
					t.Fatalf("%s is %+v in the catalog", h.Name, c)
				}
				if c := s.catalog.ChooseTab(h.SiteTool, nil); c != nil && c.Origin() != h.SiteTool.Site {
					t.Fatalf("%s of %s goes to a tool of %s", h.Name, h.SiteTool.Site, c.Origin())
				}
				if h.Name != h.Plain() {
					suffixes++
				}
				if h.SiteTool.Cached {
					cached++
				}
				if h.SiteTool.Tabs > 1 {
					several++
				}
			}
		}
	}
	if suffixes < 100 || cached < 100 || several < 100 {
		t.Errorf("hardly anything was tried: %d suffixes, %d cached, %d of several tabs", suffixes, cached, several)
	}
}

// madeAnew makes the tools of all sites, also of those of which nothing has changed.
func madeAnew(s *State) []*HubTool {
	all := s.sites.Recover(s.maker, s.sites.Published())
	for _, tab := range s.catalog.tabs {
		all.Changed(nil, &tab.SiteTab)
	}
	all.Update(siteTabs(s.catalog.tabs), func(name string) bool { return s.names[name] != nil })
	return all.Published()
}

func tabsThatHave(s *State, r *offer.SiteTool) (n int) {
	for _, p := range s.order {
		if p.Site == r.Site && p.state == "" && slices.ContainsFunc(p.shown.tools, func(h *HubTool) bool { return h.Route.Tool == r.Tool && h.Origin() == r.Site }) {
			n++
		}
	}
	return n
}

// recoverAndTell is Recover, and what its owner does then.
func recoverAndTell(s *State) *State {
	n := s.Recover(s.Catalog())
	for _, p := range s.order {
		n.Step(PageOpened{Page: p.ID, URL: p.url, Title: p.title})
		n.Step(Navigated{Page: p.ID, Gen: max(p.Gen, 1), URL: p.url})
		n.Step(PageChanged{Page: p.ID, URL: p.url, State: p.state})
		n.Step(ToolsReported{Page: p.ID, Gen: max(p.Gen, 1), Tools: p.reported})
	}
	n.Step(FlushDue{})
	n.Step(FlushDue{})
	return n
}

func routeNames(all []*HubTool) (names []string) {
	for _, h := range all {
		names = append(names, fmt.Sprintf("%s=%s/%s %d %v", h.Name, h.SiteTool.Site, h.SiteTool.Tool, h.SiteTool.Tabs, h.Description))
	}
	return names
}
