package registry

import (
	"fmt"
	"slices"
	"testing"
)

// A page that takes a tool away and registers it again with the same content
// gets the hub tool back that it had; with another content, index or document it
// doesn't.
func TestRemovedToolsComeBack(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example/")
	h.open("b", "https://b.example/")
	tools := func(description string) []*PageTool {
		return []*PageTool{
			{Frame: "f", Doc: 1, Name: "kept", InputSchema: []byte(`{"type":"object","properties":{}}`)},
			{Frame: "f", Doc: 1, Name: "tool", Description: description, InputSchema: []byte(`{"type":"object","properties":{}}`)},
		}
	}
	show := func(description string) *HubTool {
		h.reportTools("b", tools(description)...)
		h.flush()
		return h.state.Catalog().Tab("b").Tools[1]
	}
	report := func(description string) *HubTool {
		h.reportTools("b", tools(description)[:1]...)
		h.flush()
		return show(description)
	}
	first := report("x")
	if again := report("x"); again != first {
		t.Error("the same tool was made again")
	}
	if other := report("y"); other == first || other.Source().Description != "y" {
		t.Errorf("another tool is described as %q", other.Description)
	}
	first = report("y")
	h.reportTools("b", tools("y")[:1]...)
	h.flush()
	h.step(PageClosed{"a"})
	h.flush()
	if moved := show("y"); moved == first || moved.Name != "webmcp_b_example_page0_tool" {
		t.Errorf("after a page before it closed, the tool is %s", moved.Name)
	}
	h.step(Navigated{Page: "b", Gen: 9, URL: "https://b.example/"})
	if n := len(h.state.pages["b"].recentlyRemoved); n > 0 {
		t.Errorf("%d removed tools outlive their document", n)
	}
}

func TestRemovedToolsAreFew(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example/")
	for i := range 3 * maxRemoved {
		h.reportTools("a", &PageTool{Name: fmt.Sprint("t", i)})
		h.flush()
	}
	if n := len(h.state.pages["a"].recentlyRemoved); n == 0 || n > maxRemoved {
		t.Errorf("%d removed tools are kept, of at most %d", n, maxRemoved)
	}
}

// One tool that comes or goes leaves the others' hub tools as they are.
func TestEditKeepsTheOthers(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example/")
	tools := manyTools(5)
	h.reportTools("a", tools...)
	before := h.state.Catalog().Tab("a").Tools
	h.reportTools("a", tools[0], tools[1], tools[3], tools[4], &PageTool{Name: "zz"})
	h.flush()
	after := h.state.Catalog().Tab("a").Tools
	if len(after) != 5 || after[0] != before[0] || after[1] != before[1] || after[2] != before[3] || after[3] != before[4] || after[4].Route.Tool != "zz" {
		t.Errorf("%v became %v", before, after)
	}
	h.reportTools("a", tools[4], tools[0], tools[1], tools[3]) // in an order that is not by name
	h.flush()
	after = h.state.Catalog().Tab("a").Tools
	if len(after) != 4 || after[0] != before[4] || after[1] != before[0] || after[2] != before[1] || after[3] != before[3] {
		t.Errorf("%v became %v", before, after)
	}
}

// A tool that goes and comes back within a flush interval costs the registry
// no memory, also when the page registers it anew.
func TestFlipFlopAllocatesNothing(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example/")
	tools := manyTools(20)
	anew := slices.Clone(tools)
	again := *tools[19]
	anew[19] = &again
	gen := h.state.pages["a"].Gen
	events := []Event{ToolsReported{"a", gen, tools[:19]}, ToolsReported{"a", gen, anew}, ToolsReported{"a", gen, tools[:19]}, ToolsReported{"a", gen, tools}}
	h.step(ToolsReported{"a", gen, tools})
	h.flush()
	if n := testing.AllocsPerRun(100, func() {
		for i, e := range events {
			h.state.Step(e)
			if i%2 == 1 {
				h.state.Step(FlushDue{})
			}
			h.state.cooling = true // as after the change that began the interval
		}
	}); n > 0 || h.state.Catalog().Len() != 20 {
		t.Errorf("%v allocations, %d tools", n, h.state.Catalog().Len())
	}
}
