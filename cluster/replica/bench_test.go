package replica

import (
	"encoding/json"
	"fmt"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// busy is a node of 50 browsers with a page of 20 tools each.
func busy(b testing.TB, served func([]SourceEffect)) (n *node, tools [][]*registry.PageTool) {
	n = newNode("n1", registry.Options{}, served)
	for i := range 50 {
		id := registry.PageID(fmt.Sprintf("b%d/13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B", i))
		url := fmt.Sprintf("https://shop%d.example/", i)
		n.step(registry.PageOpened{Page: id, URL: url, Title: "A shop", Browser: fmt.Sprint("b", i)}, registry.Navigated{Page: id, Gen: 1, URL: url, Origin: url[:len(url)-1]})
		var all []*registry.PageTool
		for j := range 20 {
			all = append(all, &registry.PageTool{Name: fmt.Sprintf("tool_%d", j), Frame: "main", Doc: 1, FrameURL: url, Origin: url[:len(url)-1], Runtime: offer.Native,
				Description: "Does one of the many things that this page can do.",
				InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}},"required":["query"]}`)})
		}
		n.step(registry.ToolsReported{Page: id, Gen: 1, Tools: all}, registry.FlushDue{}, registry.FlushDue{})
		tools = append(tools, all)
	}
	return n, tools
}

// BenchmarkFlush measures a flush at the node with a tool of so many of its 50 pages toggled: what
// is told to one gateway is made, and encoded, and the gateway decodes it and has its content. wire-B is
// the length of the message, and whole-B that of all there is.
func BenchmarkFlush(b *testing.B) {
	for _, changed := range []int{0, 1, 50} {
		b.Run(fmt.Sprint("pages=", changed), func(b *testing.B) {
			var sends []Send
			n, tools := busy(b, func(effects []SourceEffect) {
				for _, e := range effects {
					sends = append(sends, e.(Send))
				}
			})
			m := talking(b)
			effects := n.source.Step(Heard{"g", wire.Hello{Oldest: 1, Newest: 1, Talk: "g1.1", Edits: true}})
			var all, bytes int
			take := func(s Send) int {
				raw, err := wire.Encode(s.Message)
				if err != nil {
					b.Fatal(err)
				}
				message, err := wire.Decode(raw)
				if err != nil {
					b.Fatal(err)
				}
				m.Step(Received{message})
				return len(raw)
			}
			for _, e := range effects {
				all += take(e.(Send))
			}
			// The catalogs are made beforehand: what they cost is registry's.
			var catalogs []*registry.Catalog
			for _, with := range []int{19, 20} {
				for i := range changed {
					n.state.Step(registry.ToolsReported{Page: registry.PageID(fmt.Sprintf("b%d/13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B", i)), Gen: 1, Tools: tools[i][:with]})
				}
				if changed == 0 {
					n.state.Step(registry.FrontTaken{Page: registry.PageID(fmt.Sprintf("b%d/13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B", with))})
				}
				n.state.Step(registry.FlushDue{})
				n.state.Step(registry.FlushDue{})
				catalogs = append(catalogs, n.state.Catalog())
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for _, e := range n.source.Step(Served{Catalog: catalogs[i%2]}) {
					bytes = take(e.(Send))
				}
			}
			if m.At() != n.source.At() {
				b.Fatalf("at %v, and the node at %v", m.At(), n.source.At())
			}
			b.ReportMetric(float64(bytes), "wire-B")
			b.ReportMetric(float64(all), "whole-B")
		})
	}
}

// BenchmarkStorm measures 1,000 changes of tools, 20 of each page, in one flush: what travels follows
// flushes.
func BenchmarkStorm(b *testing.B) {
	bytes := 0
	n, tools := busy(b, func(effects []SourceEffect) {
		for _, e := range effects {
			raw, err := wire.Encode(e.(Send).Message)
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(raw)
		}
	})
	n.source.Step(Heard{"g", wire.Hello{Oldest: 1, Newest: 1, Talk: "g1.1", Edits: true}})
	bytes = 0
	flushes := 0
	for b.Loop() {
		for round := range 20 {
			for i := range tools {
				n.step(registry.ToolsReported{Page: registry.PageID(fmt.Sprintf("b%d/13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B", i)), Gen: 1, Tools: tools[i][:20-(round+flushes)%2]})
			}
		}
		n.step(registry.FlushDue{})
		flushes++
	}
	b.ReportMetric(float64(bytes)/float64(flushes), "wire-B/op")
}
