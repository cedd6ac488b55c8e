package trust_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/trust"
	"webmcphub/trust/flow"
)

// TestReadsOutliveTheirHub: what a client has read at one hub it has read at the one that
// takes over, too.
func TestReadsOutliveTheirHub(t *testing.T) {
	hub := func() *mcpserver.Server {
		guard := trust.New(trust.Options{Flow: trust.NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)})
		s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: guard}}, page(func(calls.Call) string { return "pin 4711" }))
		state := registry.NewState(registry.Options{})
		for page, url := range map[registry.PageID]string{"A": "https://bank.example/", "B": "https://evil.test/"} {
			for _, e := range []registry.Event{registry.PageOpened{Page: page, URL: url}, registry.Navigated{Page: page, Gen: 1, URL: url},
				registry.ToolsReported{Page: page, Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "tool" + string(page)}}}, registry.FlushDue{}, registry.FlushDue{}} {
				s.Apply(state.Step(e))
			}
		}
		return s
	}
	moved := make(chan view.Place, 10)
	said := func(g view.Guest, tools ...string) (last string) {
		t.Helper()
		c := visitAs(t, hub(), nil, g)
		listed, err := c.ListTools(context.Background(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range tools {
			call := mcp.CallToolRequest{}
			for _, tool := range listed.Tools {
				if strings.HasSuffix(tool.Name, own) {
					call.Params.Name = tool.Name
				}
			}
			call.Params.Arguments = map[string]any{"q": "4711"}
			r, err := c.CallTool(context.Background(), call)
			if err != nil {
				t.Fatal(err)
			}
			last = mcp.GetTextFromContent(r.Content[0])
		}
		return last
	}
	if got := said(view.Guest{Moved: func(at view.Place) { moved <- at }}, "toolA"); got != "pin 4711" {
		t.Fatal(got)
	}
	at := <-moved
	for at.Remembered == "" { // it has read nothing yet
		at = <-moved
	}
	if at.Remembered != "https://bank.example" {
		t.Errorf("%q is remembered", at.Remembered)
	}
	if got := said(view.Guest{}, "toolB"); got != "pin 4711" {
		t.Errorf("a client that has read nothing is told %q", got)
	}
	if got := said(view.Guest{Place: at}, "toolB"); !strings.Contains(got, "what this client has read from https://bank.example") {
		t.Errorf("it is told %q", got)
	}
}

// TestAReadIsNotedBeforeItsAnswer: a hub that is killed once its client has an answer has
// told what the client has read by it.
func TestAReadIsNotedBeforeItsAnswer(t *testing.T) {
	guard := trust.New(trust.Options{Flow: trust.NewFlowDecider(flow.Options{Mode: flow.Log}, nil)})
	s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: guard}}, page(func(calls.Call) string { return "done" }))
	state := registry.NewState(registry.Options{})
	const sites = 50
	for i := range sites {
		page, url := registry.PageID(fmt.Sprint(i)), fmt.Sprintf("https://site%d.example/", i)
		for _, e := range []registry.Event{registry.PageOpened{Page: page, URL: url}, registry.Navigated{Page: page, Gen: 1, URL: url},
			registry.ToolsReported{Page: page, Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "look"}}}, registry.FlushDue{}, registry.FlushDue{}} {
			s.Apply(state.Step(e))
		}
	}
	var noted atomic.Pointer[string]
	c := visitAs(t, s, nil, view.Guest{Moved: func(at view.Place) { noted.Store(&at.Remembered) }})
	for i := range sites {
		call := mcp.CallToolRequest{}
		call.Params.Name = fmt.Sprintf("webmcp_site%d_example_page%d_look", i, i)
		if _, err := c.CallTool(context.Background(), call); err != nil {
			t.Fatal(err)
		}
		if told := noted.Load(); told == nil || !slices.Contains(strings.Fields(*told), fmt.Sprintf("https://site%d.example", i)) {
			t.Fatalf("the answer of site %d came before the note of it", i)
		}
	}
}
