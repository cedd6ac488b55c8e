package listing

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A search that can't catch up with the pages answers all the same and says so; one that
// waits for its turn ends with its context; and a panic leaves a finder that works.
func TestASearchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := registry.NewState(registry.Options{})
		state.Step(registry.PageOpened{Page: "a", URL: "https://a.test/"})
		state.Step(registry.Navigated{Page: "a", Gen: 1, URL: "https://a.test/"})
		gen, restless := 0, true
		f := NewFinder(func() *view.ServedCatalog {
			if restless {
				fakeclock.Elapse(100 * time.Millisecond)
				var tools []*registry.PageTool
				for i := range 2 * inSearch {
					gen++
					tools = append(tools, &registry.PageTool{Frame: "a", Doc: 1, Runtime: offer.Native, Name: fmt.Sprint("tool", i), Description: fmt.Sprint("fresh", gen)})
				}
				state.Step(registry.ToolsReported{Page: "a", Gen: 1, Tools: tools})
				state.Step(registry.FlushDue{})
				state.Step(registry.FlushDue{})
			}
			return view.NewServedCatalog(state.Catalog(), &view.Own{})
		})
		query := func(*registry.Catalog) find.Query { return find.Query{Text: "tool7", Limit: 1} }
		began := time.Now()
		if r, err := f.search(t.Context(), query); err != nil || !r.late || time.Since(began) > 2*readsFor {
			t.Errorf("late %v after %v: %v", r.late, time.Since(began), err)
		}
		_ = f.alone(t.Context(), func() { restless = false })
		fakeclock.Elapse(time.Minute)

		_ = f.alone(t.Context(), func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := f.search(ctx, query); err == nil {
				t.Error("the search doesn't end while another one works")
			}
		})
		served := f.current
		f.current = func() *view.ServedCatalog { panic("a defect") }
		func() {
			defer func() { _ = recover() }()
			_, _ = f.search(t.Context(), query)
		}()
		f.current = served
		if r, err := f.search(t.Context(), query); err != nil || r.late || len(r.found) != 1 {
			t.Errorf("after a panic: %+v %v", r, err)
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
		{"https://shop.example:8443/", "shop.example", true}, {"shop.example:8443", "shop.example", true}, {"https://me@shop.example?x", "shop.example", true},
		{"127.0.0.1", "localhost:3000", true}, {"http://127.0.0.1:3000/", "localhost:3000", true}, {"127.0.0.1:80", "localhost:3000", false},
		{"::1", "localhost:3000", true}, {"[::1]:3000", "localhost:3000", true}, {"2001:db8::1", "[2001:db8::1]", true}, {"http://[2001:db8::1]:80/", "[2001:db8::1]", true},
		{"bücher.example", "xn--bcher-kva.example", true}, {"xn--bcher-kva.example", "xn--bcher-kva.example", true}, {"BÜCHER.example", "www.xn--bcher-kva.example", true},
	} {
		if got := (FindArguments{Site: c.site}).OfSite(c.host); got != c.want {
			t.Errorf("%s of %s: %v", c.host, c.site, got)
		}
	}
}
