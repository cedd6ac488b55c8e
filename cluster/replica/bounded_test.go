package replica

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// heavyPage is a page that weighs about 2 MiB.
func heavyPage(id string) wire.Page {
	return wire.Page{ID: id, Tools: []wire.Tool{{Name: "x", Description: strings.Repeat("x", 2<<20)}}}
}

// asked are the messages among what is to be done, and why something is left out.
func asked(effects []MirrorEffect) (messages []wire.Message, why string) {
	for _, e := range effects {
		switch e := e.(type) {
		case Ask:
			messages = append(messages, e.Message)
		case LeftOut:
			why += e.Why
		}
	}
	return messages, why
}

// A node that tells more than any may is refused with the reason, whether it tells that at once, in
// parts without end, by changes or by edits; nothing of it is kept. After a while it is asked anew.
func TestBytesAreBounded(t *testing.T) {
	at := func(v int) wire.Position { return wire.Position{Incarnation: "n1", Version: uint64(v)} }
	for name, tell := range map[string]func(i int) wire.Message{
		"parts": func(i int) wire.Message {
			return wire.Whole{At: at(1), Part: i, More: true, Pages: []wire.Page{heavyPage(fmt.Sprint(i))}, Talk: "g1.1"}
		},
		"changes": func(i int) wire.Message {
			if i == 0 {
				return whole(1)
			}
			return wire.Changes{From: uint64(i), At: at(i + 1), Pages: []wire.Page{heavyPage(fmt.Sprint(i))}, Talk: "g1.1"}
		},
		"edits": func(i int) wire.Message {
			if i == 0 {
				return whole(1, wire.Page{ID: "p"})
			}
			tool := heavyPage("").Tools[0]
			tool.Number = uint64(i)
			return wire.Changes{From: uint64(i), At: at(i + 1), Edits: []wire.Edit{{ID: "p", Tools: &wire.ToolChanges{Numbers: []wire.Run{{1, uint64(i)}}, New: []wire.Tool{tool}}}}, Talk: "g1.1"}
		},
		"a reference to a heavy tool": func(i int) wire.Message {
			if i == 0 {
				p := heavyPage("p")
				p.Tools[0].Number = 1
				return whole(1, p)
			}
			return wire.Changes{From: 1, At: at(2), Edits: []wire.Edit{{ID: "p", Tools: &wire.ToolChanges{Numbers: slices.Repeat([]wire.Run{{1, 1}}, 17)}}}, Talk: "g1.1"}
		},
	} {
		m := talking(t)
		var why string
		told := 0
		for ; why == "" && told < 30; told++ {
			_, why = asked(m.Step(Received{tell(told)}))
		}
		if !strings.Contains(why, "not heeded for 30s: its pages offer more than 32 MiB") || name != "a reference to a heavy tool" && told < 16 {
			t.Errorf("%s: after %d pages: %q", name, told, why)
		}
		if len(m.pages)+len(m.order) > 0 || m.parts != nil || m.weight != 0 || m.At() != at(0) && m.At() != (wire.Position{}) {
			t.Errorf("%s: it still has something", name)
		}
		for _, e := range []MirrorEvent{Received{tell(0)}, LinkLost{}, LinkBack{}, LeaseSeen{}} {
			if done := m.Step(e); len(done) > 0 {
				t.Errorf("%s: on %T it does %v", name, e, done)
			}
		}
		messages, _ := asked(m.Step(BoundDue{m.timers.armed[refuseTimer]}))
		if len(messages) != 1 {
			t.Fatalf("%s: after a while it says %v", name, messages)
		}
		hello := messages[0].(wire.Hello)
		m.Step(Received{wire.Welcome{Version: 1, Incarnation: "n1", Talk: hello.Talk}})
		w := whole(40, wire.Page{ID: "good"})
		w.Talk = hello.Talk
		if m.Step(Received{w}); m.Page("east/good") == nil || !m.Known() {
			t.Errorf("%s: it isn't heeded again", name)
		}
	}
}

// An honest node never tells what gateways refuse: pages that have no room are left out, with the reason, and come
// when there is some.
func TestNodeKeepsToTheBound(t *testing.T) {
	var left []string
	p := newPair(t, registry.Options{}, false)
	served := p.node.served
	p.node.served = func(all []SourceEffect) {
		for _, e := range all {
			if l, is := e.(LeftOut); is {
				left = append(left, l.Page+": "+l.Why)
			}
		}
		served(all)
	}
	p.node.source.most = 3 << 20
	report := func(id registry.PageID, bytes int) {
		p.node.step(registry.PageOpened{Page: id, URL: "https://a.example/"},
			registry.ToolsReported{Page: id, Tools: []*registry.PageTool{{Name: "x", Description: strings.Repeat("<", bytes/6)}}})
		p.node.calm()
	}
	has := func() (ids []registry.PageID) {
		for _, f := range p.mirror.Content().Pages {
			ids = append(ids, f.Page)
		}
		return ids
	}
	for i := range 4 {
		report(registry.PageID(fmt.Sprint(i)), 1<<20)
	}
	if got := fmt.Sprint(has()); got != "[east/0 east/1]" {
		t.Errorf("the gateway has %s", got)
	}
	if len(left) != 2 || !strings.Contains(left[0], "2: the node's pages offer more than 3 MiB") {
		t.Errorf("left out: %q", left)
	}
	report("small", 10)
	p.node.step(registry.ToolsReported{Page: "2", Tools: []*registry.PageTool{{Name: "y"}}})
	p.node.calm()
	if got := fmt.Sprint(has()); got != "[east/0 east/1 east/small east/2]" {
		t.Errorf("then the gateway has %s", got)
	}
	p.node.step(registry.PageClosed{Page: "0"})
	p.node.calm()
	if got := fmt.Sprint(has()); got != "[east/1 east/small east/2 east/3]" || !p.mirror.Known() || p.mirror.At() != p.node.source.At() {
		t.Errorf("in the end the gateway has %s", got)
	}
	p.node.step(registry.ToolsReported{Page: "small", Tools: []*registry.PageTool{{Name: "x", Description: strings.Repeat("<", 1<<18)}}})
	p.node.calm()
	p.node.step(registry.PageClosed{Page: "3"})
	p.node.calm()
	if got := fmt.Sprint(has()); len(p.node.source.pages) != 3 || got != "[east/1 east/2 east/small]" && got != "[east/1 east/small east/2]" {
		t.Errorf("the gateway has %s, and the node keeps %d pages", got, len(p.node.source.pages))
	}
}

// What pages weigh at a gateway is no more than what their node counts, or honest nodes would be refused.
func TestWeighsNoMoreThanAtItsNode(t *testing.T) {
	n, _ := busy(t, func([]SourceEffect) {})
	for _, p := range n.source.order {
		page := coded(t, wire.Whole{Pages: []wire.Page{p.whole()}}).(wire.Whole).Pages[0]
		if got := pageWeight(&page); got > p.weight() || got < p.weight()/3 {
			t.Fatalf("it weighs %d, and at its node %d", got, p.weight())
		}
		if h := heldPage(&page, factsOf(nodeName, &page, nil)); h.weight != pageWeight(&page) {
			t.Fatalf("held it weighs %d, and told %d", h.weight, pageWeight(&page))
		}
	}
}
