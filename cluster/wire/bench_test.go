package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"webmcphub/registry/offer"
)

// shopPage is a page as large as those of the other benchmarks: tools with a description and a
// schema of two arguments.
func shopPage(n, tools int) Page {
	p := Page{ID: fmt.Sprintf("%032X", n), Browser: fmt.Sprintf("chrome-%d", n), URL: "https://shop.example/products/17", Title: "Shop", Document: 1, Origin: "https://shop.example"}
	for i := range tools {
		p.Tools = append(p.Tools, ToolOf(&offer.PageTool{Runtime: offer.Native, Name: fmt.Sprintf("tool_%d", i), Origin: "https://shop.example",
			Description: "Searches the shop's products by what they are called, and says what they cost.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","minimum":1}},"required":["query"]}`)}))
	}
	return p
}

// BenchmarkFlush is what one flush costs in which one page of 20 tools has changed, for each gateway:
// to encode it at the node, and to decode it at the gateway.
func BenchmarkFlush(b *testing.B) {
	benchmark(b, Changes{From: 1, At: Position{"n", 2}, Pages: []Page{shopPage(1, 20)}}, 20)
}

// BenchmarkWholeNode is what it costs to tell a gateway all of a node: 50 pages of 20 tools.
func BenchmarkWholeNode(b *testing.B) {
	whole := Whole{At: Position{"n", 2}}
	for i := range 50 {
		whole.Browsers = append(whole.Browsers, Browser{Name: fmt.Sprintf("chrome-%d", i)})
		whole.Pages = append(whole.Pages, shopPage(i, 20))
	}
	benchmark(b, whole, 1000)
}

func benchmark(b *testing.B, m Message, tools int) {
	raw, err := Encode(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Encode(m); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(raw))/float64(tools), "bytes/tool")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
