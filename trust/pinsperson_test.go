package trust_test

import (
	"context"
	"encoding/json"
	"io"
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

const shop = "https://shop.example"

// changedShop is a hub with the tool buy of a shop, which is withheld. person answers at the hub's own page.
func changedShop(person func(context.Context, calls.Question) (json.RawMessage, error)) (*pinned, *mcpserver.Server) {
	site := pins.NewSite(shop, time.Now())
	site.Visit.Over = true
	p := &pinned{book: pins.NewBook(pins.Rules{Mode: pins.Hold}).With(map[string]*pins.Site{shop: site})}
	guard := trust.New(trust.Options{})
	s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: guard, PinAsker: trust.NewPinAsker(p, guard), Person: person}},
		page(func(calls.Call) string { return "done" }))
	state := registry.NewState(registry.Options{Pins: p.book})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: shop + "/"}, registry.Navigated{Page: "A", Gen: 1, URL: shop + "/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "buy", Description: "Buys."}}}, registry.FlushDue{}, registry.FlushDue{}} {
		s.Apply(state.Step(e))
	}
	return p, s
}

// A client that can't ask its user has the person at the hub's own page accept what a site
// has changed.
func TestThePersonAtTheHubAcceptsPins(t *testing.T) {
	answer, asked := `{"action":"accept","content":{"decision":"leave withheld"}}`, ""
	p, s := changedShop(func(_ context.Context, q calls.Question) (json.RawMessage, error) {
		asked = string(q.Params)
		return json.RawMessage(answer), nil
	})
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

// In protocol 2026-07-28 the question about what a site has changed is a result, and its answer comes with the next call
// of the same client.
func TestPinsByRounds(t *testing.T) {
	p, s := changedShop(nil)
	lines, to := session(t, s)
	buys := func(lines *json.Decoder, to io.Writer, more string) (map[string]json.RawMessage, string) {
		t.Helper()
		return modernCall(t, lines, to, `"name":"call_webmcp_tool","arguments":{"name":"buy"}`+more)
	}
	var state json.RawMessage
	ask := func() {
		t.Helper()
		first, _ := buys(lines, to, "")
		if state = first["requestState"]; string(first["resultType"]) != `"input_required"` || !strings.Contains(string(first["inputRequests"]), `"pins":{"method":"elicitation/create"`) ||
			!strings.Contains(string(first["inputRequests"]), `\"buy\": the site has no accepted tool of this name`) {
			t.Fatalf("the first round gave %s", first)
		}
	}
	with := func(decision string) string {
		return `,"requestState":` + string(state) + `,"inputResponses":{"pins":{"action":"accept","content":{"decision":"` + decision + `"}}}`
	}
	ask()
	other, toOther := session(t, s)
	if r, why := buys(other, toOther, with("accept")); !strings.Contains(why, "its client") || len(p.accepted) > 0 {
		t.Errorf("another client's answer gave %s%s, accepted %+v", r, why, p.accepted)
	}
	if r, _ := buys(lines, to, with("accept")); !strings.Contains(string(r["content"]), "has accepted it just now") || len(p.accepted) != 1 {
		t.Errorf("the answer gave %s, accepted %+v", r, p.accepted)
	}
	if _, why := buys(lines, to, with("accept")); !strings.Contains(why, "is over") || len(p.accepted) != 1 {
		t.Errorf("the same answer again gave %s, accepted %+v", why, p.accepted)
	}
	ask()
	if r, _ := buys(lines, to, with("leave withheld")); !strings.Contains(string(r["content"]), "and did not") || len(p.accepted) != 1 {
		t.Errorf("the refusal gave %s, accepted %+v", r, p.accepted)
	}
	if r, _ := buys(lines, to, ""); !strings.Contains(string(r["content"]), "was asked before") {
		t.Errorf("the next call gave %s", r)
	}
}
