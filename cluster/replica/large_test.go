package replica

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// A large node is told in parts, of which none is too long, and which count together only.
func TestLargeNode(t *testing.T) {
	n := newNode("n1", registry.Options{}, func([]SourceEffect) {})
	for i := range 20 {
		id := registry.PageID(fmt.Sprint("p", i))
		n.step(registry.PageOpened{Page: id, URL: "https://a.example/"}, registry.ToolsReported{Page: id, Tools: []*registry.PageTool{{Name: "x", Description: strings.Repeat("<", 30<<10)}}})
	}
	n.calm()
	m := talking(t)
	sends := n.source.Step(Heard{"g", wire.Hello{Oldest: 1, Newest: 1, Talk: "g1.1"}})[1:]
	if len(sends) < 3 {
		t.Fatalf("%d parts", len(sends))
	}
	for i, e := range sends {
		raw, err := wire.Encode(e.(Send).Message)
		if err != nil || len(raw) > 2*maxMessage {
			t.Errorf("part %d has %d bytes, %v", i, len(raw), err)
		}
		if has := len(m.Content().Pages); has > 0 {
			t.Errorf("%d pages show before the last part", has)
		}
		m.Step(Received{coded(t, e.(Send).Message)})
	}
	if m.At() != n.source.At() || len(m.Content().Pages) != 20 {
		t.Errorf("at %v with %d pages", m.At(), len(m.Content().Pages))
	}
}

// What makes a page too large to be told of is left out, with the reason; so is what is no JSON.
func TestLargePage(t *testing.T) {
	var left []SourceEffect
	n := newNode("n1", registry.Options{}, func(effects []SourceEffect) { left = append(left, effects...) })
	tools := []*registry.PageTool{{Name: "broken", InputSchema: json.RawMessage(`{"type":`)}}
	for i := range 30 {
		tools = append(tools, &registry.PageTool{Name: fmt.Sprint("t", i), Description: strings.Repeat("x", 100<<10)})
	}
	n.step(registry.PageOpened{Page: "p", URL: "https://a.example/"}, registry.ToolsReported{Page: "p", Tools: tools})
	n.calm()
	if len(left) != 1 || !strings.Contains(left[0].(LeftOut).Why, `its tools from "t2`) {
		t.Errorf("left out %+v", left)
	}
	p := n.source.pages["p"].whole()
	if got := len(p.Tools); got < 15 || got > 21 || p.Tools[0].Name != "t0" || size(p) > maxPage+100 {
		t.Errorf("%d tools are told of, %d bytes", got, size(p))
	}
}

// Of a gateway that was away for so long that nobody knows what is gone since, all is told.
func TestAwayForLong(t *testing.T) {
	n := newNode("n1", registry.Options{}, func([]SourceEffect) {})
	at := n.source.At()
	for i := range maxGone + 1 {
		id := registry.PageID(fmt.Sprint("p", i))
		n.step(registry.PageOpened{Page: id, URL: "https://a.example/"}, registry.FlushDue{}, registry.PageClosed{Page: id}, registry.FlushDue{})
	}
	if got := len(n.source.gone); got != maxGone {
		t.Errorf("%d pages are remembered", got)
	}
	talks := 0
	back := func(has wire.Position) wire.Message {
		talks++
		return n.source.Step(Heard{"g", wire.Hello{Oldest: 1, Newest: 1, Has: has, Talk: fmt.Sprint("g1.", talks)}})[1].(Send).Message
	}
	if m, is := back(at).(wire.Whole); !is {
		t.Errorf("told %T", m)
	}
	at = n.source.At()
	at.Version -= 10
	if m, is := back(at).(wire.Changes); !is || len(m.Gone) != 5 {
		t.Errorf("told %+v", m)
	}
	at.Version += 1000
	if m, is := back(at).(wire.Whole); !is {
		t.Errorf("who is ahead is told %T", m)
	}
}

// To a gateway that says what has come no more than a few changes are on the way, and the next is
// told all that has changed meanwhile; one that doesn't say so is told at once.
func TestWhoCantFollowIsToldLess(t *testing.T) {
	sent := map[string]int{}
	var last wire.Changes
	n := newNode("n1", registry.Options{}, func(effects []SourceEffect) {
		for _, e := range effects {
			if s, is := e.(Send); is {
				sent[s.Gateway]++
				if s.Gateway == "slow" {
					last, _ = s.Message.(wire.Changes)
				}
			}
		}
	})
	n.source.Step(Heard{"slow", wire.Hello{Oldest: 1, Newest: 1, Talk: "slow.1", Confirms: true}})
	n.source.Step(Heard{"old", wire.Hello{Oldest: 1, Newest: 1, Talk: "old.1"}})
	n.source.Step(Heard{"slow", wire.Got{Talk: "slow.1"}}) // the first, of nothing
	for i := range 5 {
		n.step(registry.PageOpened{Page: registry.PageID(fmt.Sprint("p", i)), URL: "https://a.example/"})
		n.calm()
	}
	if sent["slow"] != maxOnTheWay || sent["old"] < 5 {
		t.Fatalf("sent %v", sent)
	}
	for _, e := range n.source.Step(Heard{"slow", wire.Got{Talk: "slow.1"}}) {
		last = e.(Send).Message.(wire.Changes)
	}
	if len(last.Pages) != 5-maxOnTheWay || last.At != n.source.At() {
		t.Errorf("then it was told %d pages at %v", len(last.Pages), last.At)
	}
	if more := n.source.Step(Heard{"slow", wire.Got{Talk: "slow.1"}}); len(more) > 0 {
		t.Errorf("told %v, with nothing new", more)
	}
}
