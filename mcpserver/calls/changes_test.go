package calls

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"webmcphub/registry"
)

// It counts from the step, each a second after the one before, in which a definition
// became what it is.
func TestSinceWhen(t *testing.T) {
	start := time.Unix(1e9, 0)
	now := start
	var s ChangedTools
	state := registry.NewState(registry.Options{})
	gen := registry.Gen(0)
	step := func(e registry.Event) {
		now = now.Add(time.Second)
		for _, effect := range append(state.Step(e), state.Step(registry.FlushDue{})...) {
			if served, is := effect.(registry.SetCatalog); is {
				s.Serve(served.Catalog, now)
			}
		}
	}
	navigate := func() {
		gen++
		step(registry.Navigated{Page: "A", Gen: gen, URL: "https://a.example/"})
	}
	tool := func(description, schema, title string) *registry.PageTool {
		p := &registry.PageTool{Frame: "A", Doc: gen, Name: "pay", Description: description, Title: title}
		if schema != "" {
			p.InputSchema = json.RawMessage(schema)
		}
		return p
	}
	report := func(tools ...*registry.PageTool) {
		step(registry.ToolsReported{Page: "A", Gen: gen, Tools: tools})
	}
	want := func(what, want string) {
		t.Helper()
		at, changed := s.Of(state.Catalog().Lookup("webmcp_a_example_page0_pay"))
		if got := fmt.Sprint(int(at.Sub(start)/time.Second), changed); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	step(registry.PageOpened{Page: "A", URL: "https://a.example/"}) // 1
	navigate()                                                      // 2
	report(tool("Pays", "", ""))                                    // 3
	want("at first", "3 false")
	report(tool("Pays", `{"type":"object"}`, "")) // 4
	want("with a schema that the browser told later", "3 false")
	report(tool("Pays", `{"type":"object"}`, "Pay")) // 5
	report()                                         // 6
	report(tool("Pays", `{"type":"object"}`, "Pay")) // 7
	want("taken away and registered again", "3 false")
	navigate()                                       // 8
	report(tool("Pays", `{"type":"object"}`, "Pay")) // 9
	want("in the next document", "3 false")
	old := state.Catalog().Lookup("webmcp_a_example_page0_pay")
	report(tool("Pays twice", `{"type":"object"}`, "Pay")) // 10
	want("changed", "10 true")
	if at, _ := s.Of(old); !at.IsZero() {
		t.Error("what is no longer so has a time")
	}
	report()                                         // 11
	report(tool("Pays", `{"type":"object"}`, "Pay")) // 12
	want("changed while it was away", "12 true")
	for i := range maxDefinitions/2000 + 1 { // none of them is kept with the tab's own
		var many []*registry.PageTool
		for n := range 1999 {
			many = append(many, &registry.PageTool{Frame: "A", Doc: gen, Name: fmt.Sprint("t", i, "_", n)})
		}
		report(append(many, tool("Pays", `{"type":"object"}`, "Pay"))...)
	}
	want("among many", "12 true")
	if n := len(s.tabs["A"]); n > maxDefinitions+2000 {
		t.Errorf("%d are remembered", n)
	}
	step(registry.PageClosed{Page: "A"})
	if len(s.tabs) != 0 {
		t.Error("a tab that is closed is remembered")
	}
}
