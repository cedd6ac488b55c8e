package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	. "webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// benchPublisher hands every catalog that is served to the benchmark.
type benchPublisher chan *registry.Catalog

func (p benchPublisher) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.SetCatalog); ok {
			p <- s.Catalog
		}
	}
}

// until takes catalogs until there is one with so many tools.
func (p benchPublisher) until(b *testing.B, tools int) *registry.Catalog {
	for late := time.After(time.Minute); ; {
		select {
		case c := <-p:
			if c.Len() == tools {
				return c
			}
		case <-late:
			b.Fatalf("no catalog with %d tools came in a minute", tools)
		}
	}
}

// drain lets catalogs that are of no interest go, until the benchmark's end.
func (p benchPublisher) drain(b *testing.B) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-p:
			case <-done:
				return
			}
		}
	}()
	b.Cleanup(func() { close(done) })
}

// benchHub is a hub at a fake Chrome with pages of so many tools that echo.
func benchHub(b *testing.B, pages, tools int) (*Hub, *cdptest.Browser, benchPublisher) {
	goroutines := runtime.NumGoroutine()
	chrome := cdptest.New()
	for i, p := range chrome.OpenPages(pages, "http://shop%d.test/") {
		for k := range tools {
			p.Register(cdptest.Tool{Name: fmt.Sprintf("t%d", k), Description: fmt.Sprint("page ", i), Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`),
				Execute: func(_ context.Context, args json.RawMessage) (any, error) { return string(args), nil }})
		}
	}
	served := make(benchPublisher, 1000)
	h := Start(Options{ConnectOptions: ConnectOptions{Dialer: benchDialer{chrome}}, Publisher: served})
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.Stop(ctx); err != nil {
			b.Error(err)
		}
		chrome.Die()
		// What comes too late for an actor keeps a goroutine of protoactor for a
		// second, which counts such messages.
		for late := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines && time.Now().Before(late); {
			<-time.After(10 * time.Millisecond)
		}
	})
	return h, chrome, served
}

type benchDialer struct{ chrome *cdptest.Browser }

func (d benchDialer) Dial(context.Context) (cdpclient.Wire, error) { return d.chrome.Connect(), nil }

// BenchmarkRegistryActorFlush measures one tool that comes or goes on one of
// 100 pages with 20 tools, from the message to the registry actor until its
// publisher has the new catalog: mailbox, step, flush and effects. The end of the
// flush interval is sent too, so that the next change is told at once.
func BenchmarkRegistryActorFlush(b *testing.B) {
	h, _, served := benchHub(b, 0, 0)
	var with, without []*registry.PageTool
	for p := range 100 {
		id := registry.PageID(fmt.Sprint("p", p))
		var tools []*registry.PageTool
		for i := range 20 {
			tools = append(tools, &registry.PageTool{Frame: "f", Runtime: offer.Native, Name: fmt.Sprint("tool_", i), Description: "Does this and that.",
				InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}}}`)})
		}
		with, without = tools, tools[:19]
		h.Root().Send(h.RegistryActor(), registry.PageOpened{Page: id, URL: fmt.Sprintf("https://shop%d.example/", p)})
		h.Root().Send(h.RegistryActor(), registry.ToolsReported{Page: id, Tools: tools})
	}
	served.until(b, 2000)
	h.Root().Send(h.RegistryActor(), registry.FlushDue{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tools, want := without, 1999
		if i%2 == 1 {
			tools, want = with, 2000
		}
		h.Root().Send(h.RegistryActor(), registry.ToolsReported{Page: "p99", Tools: tools})
		h.Root().Send(h.RegistryActor(), registry.FlushDue{})
		served.until(b, want)
	}
}

// BenchmarkTakeIn measures what the hub needs for a tool that comes or goes on
// one of 100 pages of a fake Chrome that all change as fast as they can, from
// Chrome's event to the catalog, in lots of 1,000 changes that end with a known
// number of tools. ns/op is for one change, the fake's share included.
func BenchmarkTakeIn(b *testing.B) {
	const pages, tools, lot = 100, 10, 1000
	_, chrome, served := benchHub(b, pages, tools)
	served.until(b, pages*tools)
	all := chrome.Pages()
	extra := cdptest.Tool{Name: "extra", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}
	b.ReportAllocs()
	changes, there := 0, false
	for b.Loop() {
		for range lot / pages {
			for _, p := range all {
				if there {
					p.Unregister("extra")
				} else {
					p.Register(extra)
				}
			}
			there = !there
			changes += pages
		}
		// An even number of rounds ends where it began, which nobody is told
		// of: one more round shows.
		for _, p := range all {
			if there {
				p.Unregister("extra")
			} else {
				p.Register(extra)
			}
		}
		there = !there
		changes += pages
		want := pages * tools
		if there {
			want += pages
		}
		served.until(b, want)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(changes), "ns/op")
	b.ReportMetric(float64(changes)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkCallFake measures one call of a page's tool by the hub over the fake
// Chrome, one after the other: route, the tab's actor, invokeTool, the fake's echo,
// toolResponded, result.
func BenchmarkCallFake(b *testing.B) {
	h, _, served := benchHub(b, 10, 10)
	c := served.until(b, 100)
	served.drain(b)
	tool := c.Tools()[42]
	args := json.RawMessage(`{"text":"hello"}`)
	b.ReportAllocs()
	for b.Loop() {
		r := h.Call(context.Background(), tool, args, CallExtras{})
		if r.IsError || !json.Valid(r.JSON) || len(r.JSON) < len(args) {
			b.Fatalf("the call gave %s", r.JSON)
		}
	}
}
