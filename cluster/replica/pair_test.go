package replica

import (
	"testing"

	"pgregory.net/rapid"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// pair is a node and a gateway with nothing between them that fails.
type pair struct {
	t      fataler
	node   *node
	mirror *Mirror
	room   *room
	older  bool // one of them is of a build without edits
}

func newPair(t fataler, o registry.Options, older bool) *pair {
	p := &pair{t: t, room: newRoom(o), older: older}
	p.node = newNode("n1", o, p.fromNode)
	var err error
	if p.mirror, err = NewMirror(nodeName, "g1", Bounds{}); err != nil {
		t.Fatalf("%v", err)
	}
	p.atGateway(p.mirror.Step(LinkBack{}))
	return p
}

func (p *pair) fromNode(effects []SourceEffect) {
	for _, e := range effects {
		if s, ok := e.(Send); ok {
			message := coded(p.t, s.Message)
			if c, is := message.(wire.Changes); is && p.older && len(c.Edits) > 0 {
				p.t.Fatalf("edits go to a gateway that doesn't take them")
			}
			p.atGateway(p.mirror.Step(Received{message}))
		}
	}
}

func (p *pair) atGateway(effects []MirrorEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case Ask:
			if _, is := e.Message.(wire.Want); is {
				p.t.Fatalf("it asks for the whole, though nothing was lost")
			}
			if hello, is := e.Message.(wire.Hello); is && p.older {
				hello.Edits = false
				e.Message = hello
			}
			p.fromNode(p.node.source.Step(Heard{"g", coded(p.t, e.Message)}))
		case Content:
			p.room.show(e)
		case LeftOut:
			p.t.Fatalf("left out: %+v", e)
		}
	}
}

// What a gateway's registry publishes is what the node's does: names, tools, offers, tabs and their
// order.
func TestSameCatalog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := registry.Options{MaxName: rapid.SampledFrom([]int{0, 32, 128}).Draw(t, "max"), MaxTools: 4}
		p := newPair(t, o, rapid.Bool().Draw(t, "older"))
		t.Repeat(map[string]func(*rapid.T){
			"happens": p.node.happens,
			"again":   p.node.happens,
			"flush":   func(*rapid.T) { p.node.calm() },
		})
		p.node.calm()
		if got, want := listed(p.room.state.Catalog()), listed(p.node.state.Catalog()); got != want {
			t.Fatalf("the gateway has\n%s\nand the node\n%s", got, want)
		}
		for _, page := range p.node.source.order {
			if here, there := p.mirror.pages[Named(nodeName, page.facts.Page)].weight, page.weight(); here > there {
				t.Fatalf("%s weighs %d, and at its node %d", page.facts.Page, here, there)
			}
		}
		if !p.mirror.Known() || p.mirror.At() != p.node.source.At() {
			t.Fatalf("at %v, and the node at %v", p.mirror.At(), p.node.source.At())
		}
	})
}
