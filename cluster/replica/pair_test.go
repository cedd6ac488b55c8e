package replica

import (
	"fmt"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// node is a registry.State and the Source of what it serves.
type node struct {
	state  *registry.State
	source *Source
}

func newNode(incarnation string, o registry.Options) *node {
	return &node{registry.NewState(o), NewSource(wire.Welcome{Incarnation: incarnation, Build: "test"})}
}

// step takes an event and gives what is to be sent, once all shows.
func (n *node) step(e registry.Event) (sends []Send) {
	for _, e := range []registry.Event{e, registry.FlushDue{}, registry.FlushDue{}} {
		for _, effect := range n.state.Step(e) {
			if s, ok := effect.(registry.Serve); ok {
				sends = append(sends, sent1(n.source.Step(Served{s.Catalog}))...)
			}
		}
	}
	return sends
}

func sent1(effects []SourceEffect) (sends []Send) {
	for _, e := range effects {
		if s, ok := e.(Send); ok {
			sends = append(sends, s)
		}
	}
	return sends
}

// room is a registry.State that is told of what a Mirror shows.
type room struct {
	state *registry.State
	has   map[registry.PageID]*registry.Facts
}

func newRoom(o registry.Options) *room {
	return &room{registry.NewState(o), map[registry.PageID]*registry.Facts{}}
}

func (r *room) show(c Content) {
	var all registry.Together
	for _, id := range c.Gone {
		all = append(all, Events(nil, r.has[id], c.Epoch)...)
		delete(r.has, id)
	}
	for _, p := range c.Pages {
		all = append(all, Events(p, r.has[p.Page], c.Epoch)...)
		r.has[p.Page] = p
	}
	r.state.Step(all)
	r.state.Step(registry.FlushDue{})
	r.state.Step(registry.FlushDue{})
}

// coded is a message as it arrives.
func coded(t fataler, m wire.Message) wire.Message {
	raw, err := wire.Encode(m)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	out, err := wire.Decode(raw)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return out
}

type fataler interface{ Fatalf(string, ...any) }

// listed is all that a client can learn of a catalog.
func listed(c *registry.Catalog, named func(registry.PageID) registry.PageID) string {
	var b strings.Builder
	for _, t := range c.Tools() {
		r := t.Route
		r.Page = named(r.Page)
		fmt.Fprintf(&b, "%s %s %v\n", t.Encoded, t.ArgumentSchema, r)
	}
	for o := range c.Offered().Offers("").Each {
		fmt.Fprintf(&b, "%d %s %s\n", o.Kind, o.Encoded, named(o.Server.Page))
	}
	fmt.Fprintln(&b, c.Offered().Browser())
	for _, t := range c.Tabs() {
		fmt.Fprintf(&b, "%d %s %q %q %q %q %q %v %v %v %v\n", t.Index, named(t.Page), t.URL, t.Origin, t.Title, t.State, t.Dialog, t.Arrived, t.Frames(), t.Refused, t.Document().Doc)
		for _, tool := range t.Tools {
			fmt.Fprintf(&b, "  %s %s\n", tool.Name, tool.Origin())
		}
	}
	return b.String()
}

func TestFirstWords(t *testing.T) {
	n := newNode("n1", registry.Options{})
	n.step(registry.PageOpened{Page: "p", URL: "https://a.example/"})
	n.step(registry.Navigated{Page: "p", Gen: 1, URL: "https://a.example/"})
	n.step(registry.ToolsReported{Page: "p", Gen: 1, Tools: []*registry.PageTool{{Name: "buy", Doc: 1}}})
	m, err := NewMirror("east", "g1", Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRoom(registry.Options{})
	var play func([]MirrorEffect)
	play = func(effects []MirrorEffect) {
		for _, e := range effects {
			switch e := e.(type) {
			case Ask:
				for _, s := range sent1(n.source.Step(Heard{"g", coded(t, e.Message)})) {
					play(m.Step(Received{coded(t, s.Message)}))
				}
			case Content:
				r.show(e)
			}
		}
	}
	play(m.Step(LinkBack{}))
	if !m.Known() || m.At() != n.source.At() {
		t.Errorf("at %v, and the node at %v", m.At(), n.source.At())
	}
	if c := r.state.Catalog(); c.Len() != 1 || c.Tabs()[0].Page != "east/p" {
		t.Errorf("got %s", listed(c, func(p registry.PageID) registry.PageID { return p }))
	}
}
