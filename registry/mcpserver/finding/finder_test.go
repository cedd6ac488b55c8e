package finding

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/mcpserver/lens"
	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The index costs nothing before the first search; then it follows what is served, a few new
// tools at a time, for a while after the last search.
func TestTheIndexFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := registry.NewState(registry.Options{})
		f := New(func() *lens.Served { return lens.Serve(state.Catalog(), lens.Own{}, nil) })
		state.Step(registry.PageOpened{Page: "a", URL: "https://a.test/"})
		state.Step(registry.Navigated{Page: "a", Gen: 1, URL: "https://a.test/"})
		gen := 0
		report := func() {
			gen++
			var tools []*registry.PageTool
			for i := range 10 * atOnce {
				tools = append(tools, &registry.PageTool{Frame: "a", Doc: 1, Runtime: offer.Native, Name: fmt.Sprint("tool", i, "of", gen)})
			}
			state.Step(registry.ToolsReported{Page: "a", Gen: 1, Tools: tools})
			state.Step(registry.FlushDue{})
			state.Step(registry.FlushDue{})
			f.Served()
			fakeclock.Elapse(time.Minute)
		}
		// knows says whether the index has read all that is served.
		knows := func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.index.Update(state.Catalog(), 0)
		}
		report()
		if knows() {
			t.Error("the index was read before anybody searched")
		}
		f.search(func(*registry.Catalog) find.Query { return find.Query{Text: "tool", Limit: 1} })
		if report(); !knows() {
			t.Error("the index doesn't follow")
		}
		fakeclock.Elapse(followsFor)
		if report(); knows() {
			t.Error("the index follows though nobody searches")
		}
		if found, total, _ := f.search(func(*registry.Catalog) find.Query { return find.Query{Text: "tool3of3", Limit: math.MaxInt32} }); total == 0 || found[0].Tool.Route.Tool != "tool3of3" {
			t.Errorf("found %d", total)
		}
	})
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		site, host string
		want       bool
	}{
		{"", "shop.example", true}, {"shop.example", "shop.example", true}, {"Shop.Example.", "www.shop.example", true}, {"www.shop.example", "shop.example", true},
		{"https://shop.example/a?b", "shop.example", true}, {"example", "shop.example", true}, {"shop.example", "eshop.example", false}, {"shop.example", "shop.example.evil", false},
		{"localhost", "localhost:3000", true}, {"localhost:3000", "localhost:3000", true}, {"localhost:80", "localhost:3000", false},
	} {
		if got := (Arguments{Site: c.site}).OfSite(c.host); got != c.want {
			t.Errorf("%s of %s: %v", c.host, c.site, got)
		}
	}
}
