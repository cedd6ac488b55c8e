package registry

import (
	"fmt"
	"slices"
	"testing"
)

// loaded is a hub of pages with tools each, all published.
func loaded(b *testing.B, pages, tools int) (h *hub, each [][]*PageTool) {
	h = newHub(b, Options{MaxTools: 1 << 20})
	for i := range pages {
		id := PageID(fmt.Sprint("p", i))
		h.open(id, fmt.Sprintf("https://shop%d.example/", i))
		each = append(each, manyTools(tools))
		h.reportTools(id, each[i]...)
	}
	if len(h.server) != pages*tools {
		b.Fatalf("%d tools published, want %d", len(h.server), pages*tools)
	}
	return h, each
}

// BenchmarkStepToggle measures one tool registered or unregistered on one of
// 100 pages with 20 tools each, up to the new catalog and the effects: what
// the registry actor does for a change on a quiet hub.
func BenchmarkStepToggle(b *testing.B) {
	h, each := loaded(b, 100, 20)
	with, without := each[50], each[50][:19]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tools, want := without, 1999
		if i%2 == 1 {
			tools, want = with, 2000
		}
		effects := h.state.Step(ToolsReported{"p50", 1, tools})
		h.state.Step(FlushDue{})
		if n := h.state.Catalog().Len(); n != want || !slices.ContainsFunc(effects, isNotice) {
			b.Fatalf("%d tools, want %d; effects %v", n, want, effects)
		}
	}
}

// BenchmarkStepFlipFlop measures a tool that goes and comes back within one
// flush interval, and the end of the interval, which finds nothing to do:
// what a storm on one of 100 pages costs for each pair of events. Nothing is
// allocated (TestFlipFlopAllocatesNothing).
func BenchmarkStepFlipFlop(b *testing.B) {
	h, each := loaded(b, 100, 20)
	with, without := each[50], each[50][:19]
	h.state.Step(ToolsReported{"p50", 1, without})
	h.state.Step(FlushDue{})
	h.state.Step(ToolsReported{"p50", 1, with}) // from here on the interval never ends quietly
	version := h.state.Catalog().Version()
	goes, comes, flushes := Event(ToolsReported{"p50", 1, without}), Event(ToolsReported{"p50", 1, with}), Event(FlushDue{})
	b.ReportAllocs()
	for b.Loop() {
		gone := h.state.Step(goes)
		back := h.state.Step(comes)
		due := h.state.Step(flushes)
		h.state.cooling = true // as after the change that began the interval
		if len(gone)+len(back)+len(due) > 0 || h.state.Catalog().Version() != version {
			b.Fatalf("effects %v %v %v", gone, back, due)
		}
	}
}

// BenchmarkFlush measures the flush of one tool toggled on the only page, which
// has so many tools. It grows with their number, since a page reports, and is
// given names for, its whole set.
func BenchmarkFlush(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint("tools=", n), func(b *testing.B) {
			h, each := loaded(b, 1, n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tools, want := each[0][:n-1], n-1
				if i%2 == 1 {
					tools, want = each[0], n
				}
				effects := h.state.Step(ToolsReported{"p0", 1, tools})
				h.state.Step(FlushDue{})
				if got := h.state.Catalog().Len(); got != want || !slices.ContainsFunc(effects, isNotice) {
					b.Fatalf("%d tools, want %d; effects %v", got, want, effects)
				}
			}
		})
	}
}

// BenchmarkFirstFlush measures a page's first report of so many tools:
// sanitizing, naming, encoding and the catalog.
func BenchmarkFirstFlush(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint("tools=", n), func(b *testing.B) {
			tools := manyTools(n)
			b.ReportAllocs()
			for b.Loop() {
				s := NewState(Options{MaxTools: 1 << 20})
				s.Step(PageOpened{Page: "p0", URL: "https://shop.example"})
				s.Step(ToolsReported{"p0", 0, tools})
				if got := s.Catalog().Len(); got != n {
					b.Fatalf("%d tools, want %d", got, n)
				}
			}
		})
	}
}

func isNotice(e Effect) bool { _, ok := e.(NotifyListChanged); return ok }
