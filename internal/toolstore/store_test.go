package toolstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// stored is a store behind a registry, as the hub has them.
type stored struct {
	*Store
	t     *testing.T
	state *registry.State
	mu    sync.Mutex
	told  []offer.CachedTool
	times int
}

func start(t *testing.T, path string) *stored {
	s := &stored{Store: Open(Options{Path: path}), t: t, state: registry.NewState(registry.Options{Naming: offer.MCPBNames})}
	s.Start(func(all []offer.CachedTool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = all
		s.times++
	})
	synctest.Wait()
	return s
}

func (s *stored) step(events ...registry.Event) {
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		s.Apply(s.state.Step(e))
	}
	fakeclock.Elapse(2 * pace)
	synctest.Wait()
}

// page reports a page's tools; a name that ends in '!' may be cached.
func (s *stored) page(id, url string, names ...string) {
	e := registry.ToolsReported{Page: registry.PageID(id), Gen: 1}
	yes := true
	for _, n := range names {
		name, keep := strings.CutSuffix(n, "!")
		tool := &registry.PageTool{Name: name, Frame: "F", Doc: 1, Description: "does " + n}
		if keep {
			tool.Annotations.Cache = &yes
		}
		e.Tools = append(e.Tools, tool)
	}
	s.step(registry.PageOpened{Page: e.Page, URL: url}, registry.Navigated{Page: e.Page, Gen: 1, URL: url}, e)
}

func (s *stored) want(want string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []string
	for _, c := range s.told {
		got = append(got, c.Site+" "+c.Tool.Name+" "+c.URL)
	}
	if fmt.Sprint(got) != "["+want+"]" {
		s.t.Errorf("told of %q, want %q", got, want)
	}
}

func TestToolsOutliveTheirTabsForAnHour(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.want("")
		s.page("A", "https://shop.test/cart?a=1#top", "add!", "pay")
		s.want("https://shop.test add https://shop.test/cart?a=1")
		fakeclock.Elapse(3 * time.Hour) // with its tab
		s.want("https://shop.test add https://shop.test/cart?a=1")
		s.step(registry.PageClosed{Page: "A"})
		fakeclock.Elapse(Keep - time.Minute)
		synctest.Wait()
		s.want("https://shop.test add https://shop.test/cart?a=1")
		fakeclock.Elapse(2 * time.Minute)
		synctest.Wait()
		s.want("")
		s.Close()
		if s.times != 3 {
			t.Errorf("told %d times", s.times)
		}
	})
}

// A tab that is gone at once leaves its tools all the same.
func TestAShortTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.page("A", "https://other.test/", "x") // the store rests after this
		yes := true
		tool := &registry.PageTool{Name: "add", Frame: "F", Doc: 1, Annotations: offer.Annotations{Cache: &yes}}
		for _, e := range []registry.Event{registry.BrowserChanged{Status: "x"}, registry.PageOpened{Page: "B", URL: "https://shop.test/"}, registry.Navigated{Page: "B", Gen: 1, URL: "https://shop.test/"},
			registry.ToolsReported{Page: "B", Gen: 1, Tools: []*registry.PageTool{tool}}, registry.FlushDue{}, registry.PageClosed{Page: "B"}, registry.FlushDue{}} {
			s.Apply(s.state.Step(e))
		}
		fakeclock.Elapse(2 * pace)
		synctest.Wait()
		s.want("https://shop.test add https://shop.test/")
		s.Close()
	})
}

func TestAPageThinksBetterOfIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.page("A", "https://shop.test/", "add!")
		s.page("A", "https://shop.test/")
		s.want("https://shop.test add https://shop.test/") // removed, but cached
		s.page("A", "https://shop.test/", "add")
		s.want("")
		s.Close()
	})
}

func TestToolsOutliveTheHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	bubble(t, func(t *testing.T) {
		s := start(t, path)
		s.page("A", "https://a.test/", "x!")
		s.page("B", "https://b.test/", "y!")
		s.step(registry.PageClosed{Page: "A"})
		fakeclock.Elapse(30 * time.Minute)
		s.Close() // b.test's tab is still open
		s = start(t, path)
		s.want("https://a.test x https://a.test/ https://b.test y https://b.test/")
		fakeclock.Elapse(31 * time.Minute)
		synctest.Wait()
		s.want("https://b.test y https://b.test/")
		s.Close()
		fakeclock.Elapse(2 * time.Hour)
		s = start(t, path)
		s.want("")
		s.Close()
	})
}

// A hub that is killed can't write when it saw its tabs' tools last.
func TestToolsOutliveAKilledHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	bubble(t, func(t *testing.T) {
		s := start(t, path)
		s.page("A", "https://a.test/", "x!")
		fakeclock.Elapse(10 * time.Hour)
		synctest.Wait()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copied := path + ".killed"
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Close()
		_, all, _ := opened(t, copied)
		if age := time.Since(all[key{"https://a.test", "x"}].seen); age > Keep/10 {
			t.Errorf("the file says that it was seen %v ago", age)
		}
	})
}

func TestWhatPagesCanMakeItKeepIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		for i := range 15 {
			var names []string
			for j := range MaxSiteTools + 20 {
				names = append(names, fmt.Sprintf("t%d!", j))
			}
			url := fmt.Sprintf("https://s%02d.test/", i)
			s.page("A", url, names...)
			s.step(registry.PageClosed{Page: "A"})
			fakeclock.Elapse(time.Second)
		}
		s.Close()
		if len(s.told) > MaxTools {
			t.Errorf("%d are kept", len(s.told))
		}
		sites := map[string]int{}
		for _, c := range s.told {
			sites[c.Site]++
		}
		if sites["https://s14.test"] != MaxSiteTools || sites["https://s00.test"] != 0 {
			t.Errorf("kept: %v", sites)
		}
	})
}
