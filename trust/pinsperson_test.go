package trust_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/trust"
	"webmcphub/trust/pins"
)

// pinned is what is pinned, in memory.
type pinned struct {
	book     *pins.Book
	accepted []pins.Definition
}

func (p *pinned) Book() *pins.Book { return p.book }
func (p *pinned) Accept(_ context.Context, _ string, shown []pins.Definition, _ string) error {
	p.accepted = append(p.accepted, shown...)
	return nil
}

// A client that can't ask its user has the person at the hub's own page accept what a site
// has changed.
func TestThePersonAtTheHubAcceptsPins(t *testing.T) {
	const shop = "https://shop.example"
	site := pins.NewSite(shop, time.Now())
	site.Visit.Over = true
	p := &pinned{book: pins.NewBook(pins.Rules{Mode: pins.Hold}).With(map[string]*pins.Site{shop: site})}
	answer, asked := `{"action":"accept","content":{"decision":"leave withheld"}}`, ""
	guard := trust.New(trust.Options{})
	s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: guard, PinAsker: trust.NewPinAsker(p, guard),
		Person: func(_ context.Context, q calls.Question) (json.RawMessage, error) {
			asked = string(q.Params)
			return json.RawMessage(answer), nil
		}}}, page(func(calls.Call) string { return "done" }))
	state := registry.NewState(registry.Options{Pins: p.book})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: shop + "/"}, registry.Navigated{Page: "A", Gen: 1, URL: shop + "/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "buy", Description: "Buys."}}}, registry.FlushDue{}, registry.FlushDue{}} {
		s.Apply(state.Step(e))
	}
	buys := func(t *testing.T, want string) {
		t.Helper()
		if got := call(t, visit(t, s, nil), "call_webmcp_tool", map[string]any{"name": "buy"}); !strings.Contains(got, want) || !strings.Contains(asked, `\"buy\": the site has no accepted tool of this name`) {
			t.Errorf("asked %s, and the client is told %s", asked, got)
		}
		asked = ""
	}
	buys(t, "was asked to accept what "+shop+" has changed, and did not")
	if len(p.accepted) > 0 {
		t.Errorf("accepted %+v", p.accepted)
	}
	answer = `{"action":"accept","content":{"decision":"accept"}}`
	buys(t, "has accepted it just now")
	if len(p.accepted) != 1 || p.accepted[0].Name != "buy" {
		t.Errorf("accepted %+v", p.accepted)
	}
}
