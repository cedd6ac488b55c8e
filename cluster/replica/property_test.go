package replica

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// TestPromises plays a node and two gateways, what lies between them, and time, in random orders:
// messages are lost, doubled, late and out of order, links and leases end, and everybody starts anew. After
// every step it holds what doc.go promises, and in the end, when nothing happens any more, that
// all have the same.
func TestPromises(t *testing.T) { rapid.Check(t, playWorld) }

func playWorld(t *rapid.T) {
	w := newWorld(t)
	t.Repeat(map[string]func(*rapid.T){
		"happens":  w.node.happensNow,
		"happens2": w.node.happensNow,
		"flush":    func(*rapid.T) { w.node.calm() },
		"deliver":  w.deliver, "deliver2": w.deliver, "deliver3": w.deliver, "deliver4": w.deliver,
		"time": w.pass, "time2": w.pass,
		"lose": w.lose, "double": w.double, "late": w.late,
		"link lost":    func(t *rapid.T) { w.linkLost(w.any(t)) },
		"hearing":      func(t *rapid.T) { w.at(w.any(t), Hearing{}) },
		"link back":    func(t *rapid.T) { w.at(w.any(t), LinkBack{}) },
		"gateway lost": func(t *rapid.T) { w.node.source.Step(GatewayLost{w.any(t).name}) },
		"lease ends":   func(t *rapid.T) { w.leaseEnds(w.any(t)) },
		"lease seen":   func(t *rapid.T) { w.leaseSeen(w.any(t)) },
		"full":         func(t *rapid.T) { w.full = rapid.Bool().Draw(t, "full") },
		"node anew":    w.nodeAnew,
		"gateway anew": func(t *rapid.T) { w.gatewayAnew(w.any(t)) },
		"call":         w.call,
		"":             func(*rapid.T) { w.check() },
	})
	w.quiet()
}

// world is all that there is, and its history.
type world struct {
	t        *rapid.T
	now      time.Duration
	node     *simNode
	nodes    int // that there have been
	gateways []*simGateway
	full     bool // nothing can be sent to gateways
	history  map[wire.Position]*moment
	waiting  []waiting // what is under way, all together
}

// moment is a state that a node had.
type moment struct {
	shown string
	until time.Duration // when it was over; 0: it is now
}

type simNode struct {
	*node
	w *world
}

type simGateway struct {
	name   string
	times  int
	mirror *Mirror
	room   *room
	timers map[uint64]time.Duration
	was    wire.Position
	lost   time.Duration // since when its link is known to be lost; -1 if it isn't, or nothing is shown
	lease  time.Duration // since when its node's lease has ended; -1
}

// waiting is a message on its way.
type waiting struct {
	to   string // a gateway's name, "" is the node
	from string
	raw  []byte
}

var simBounds = Bounds{Lost: 600 * time.Millisecond, Behind: 2 * time.Second, Lease: 4 * time.Second, Ping: time.Second, Silence: 3, Ask: 200 * time.Millisecond}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, history: map[wire.Position]*moment{}}
	w.nodeAnew(t)
	for _, name := range []string{"g", "h"} {
		g := &simGateway{name: name}
		w.gateways = append(w.gateways, g)
		w.gatewayAnew(g)
	}
	return w
}

func (w *world) any(t *rapid.T) *simGateway { return rapid.SampledFrom(w.gateways).Draw(t, "gateway") }

func (n *simNode) happensNow(t *rapid.T) { n.happens(t) }

// nodeAnew is the node's process that ends, and another one in its place: with other tabs, or the same.
func (w *world) nodeAnew(t *rapid.T) {
	w.nodes++
	for _, m := range w.history {
		if m.until == 0 {
			m.until = w.now
		}
	}
	var n *simNode
	n = &simNode{w: w, node: newNode(fmt.Sprint("n", w.nodes), registry.Options{}, func(effects []SourceEffect) {
		w.remember(n.node)
		w.fromNode(effects)
	})}
	w.remember(n.node)
	if w.node != nil && rapid.Bool().Draw(t, "same tabs") {
		n.had = w.node.had
		for _, p := range w.node.pages {
			n.open(t, p)
			n.navigate(t, p)
		}
	}
	w.node = n
}

// remember keeps what the node has now.
func (w *world) remember(n *node) {
	at := n.source.At()
	if w.history[at] != nil {
		return
	}
	if before := w.history[wire.Position{Incarnation: at.Incarnation, Version: at.Version - 1}]; before != nil {
		before.until = w.now
	} else if at.Version > 1 {
		w.t.Fatalf("the version before %v is not known", at)
	}
	c := n.state.Catalog()
	var facts []*registry.Facts
	for _, tab := range c.Tabs() {
		f := *c.Facts(tab)
		f.Page, f.Browser = Named(nodeName, f.Page), Named(nodeName, f.Browser)
		facts = append(facts, &f)
	}
	w.history[at] = &moment{shown: shown(facts)}
}

// shown is all that can be told of pages.
func shown(all []*registry.Facts) string {
	var b strings.Builder
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s %d %v %q %q %q %q %q %v %d %v %v %v\n", f.Page, f.Browser, f.Opened, f.Proxied, f.URL, f.Origin, text(f.Title), f.State, text(f.Dialog), f.Arrived, f.Gen, f.Moving, f.Frames, f.Offers.Browser)
		for _, t := range f.Tools {
			fmt.Fprintf(&b, "  %s %s\n", t.Name, wire.Digest(t))
		}
		for _, r := range f.Offers.Resources {
			fmt.Fprintf(&b, "  %s %v %s %s\n", r.URI, r.Template, text(r.Name), text(r.Description))
		}
		for _, p := range f.Offers.Prompts {
			fmt.Fprintf(&b, "  prompt %s\n", text(p.Name))
		}
	}
	return b.String()
}

func (w *world) send(from, to string, m wire.Message) {
	if hello, is := m.(wire.Hello); is && from == "h" {
		hello.Edits = false // it is of an earlier build
		m = hello
	}
	raw, err := wire.Encode(m)
	if err != nil {
		w.t.Fatalf("%T: %v", m, err)
	}
	w.waiting = append(w.waiting, waiting{to, from, raw})
}

func (w *world) fromNode(effects []SourceEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case LeftOut:
			w.t.Fatalf("left out: %+v", e)
		case Send:
			if w.full {
				w.fromNode(w.node.source.Step(Unsent{e}))
				continue
			}
			w.send("", e.Gateway, e.Message)
		}
	}
}

// at lets a mirror step.
func (w *world) at(g *simGateway, e MirrorEvent) {
	for _, effect := range g.mirror.Step(e) {
		switch x := effect.(type) {
		case Ask:
			w.send(g.name, "", x.Message)
		case Arm:
			g.timers[x.Seq] = w.now + x.After
		case Content:
			g.room.show(x)
		case LeftOut:
			w.t.Fatalf("left out: %+v", x)
		}
	}
	if g.mirror.Known() || g.mirror.At() == (wire.Position{}) {
		g.lost = -1
	}
}

// take gives the message at a place, and takes it away.
func (w *world) take(i int) waiting {
	m := w.waiting[i]
	w.waiting = slices.Delete(slices.Clone(w.waiting), i, i+1)
	return m
}

func (w *world) arrive(m waiting) {
	message, err := wire.Decode(m.raw)
	if err != nil {
		w.t.Fatalf("%s: %v", m.raw, err)
	}
	if m.to == "" {
		w.fromNode(w.node.source.Step(Heard{m.from, message}))
		return
	}
	for _, g := range w.gateways {
		if g.name == m.to {
			w.at(g, Received{message})
		}
	}
}

func (w *world) deliver(*rapid.T) {
	if len(w.waiting) > 0 {
		w.arrive(w.take(0))
	}
}

func (w *world) lose(t *rapid.T) {
	if len(w.waiting) > 0 {
		w.take(rapid.IntRange(0, len(w.waiting)-1).Draw(t, "which"))
	}
}

func (w *world) double(t *rapid.T) {
	if len(w.waiting) > 0 {
		w.waiting = append(w.waiting, rapid.SampledFrom(w.waiting).Draw(t, "which"))
	}
}

// late delivers a message before those that were sent earlier.
func (w *world) late(t *rapid.T) {
	if len(w.waiting) > 0 {
		w.arrive(w.take(rapid.IntRange(0, len(w.waiting)-1).Draw(t, "which")))
	}
}

func (w *world) linkLost(g *simGateway) {
	if g.lost < 0 && g.mirror.At() != (wire.Position{}) && g.mirror.with != "" {
		g.lost = w.now
	}
	// Known() is no longer so, and at() would forget.
	was := g.lost
	w.at(g, LinkLost{"test"})
	if g.mirror.At() != (wire.Position{}) {
		g.lost = was
	}
}

func (w *world) leaseEnds(g *simGateway) {
	if g.lease < 0 {
		g.lease = w.now
	}
	w.at(g, LeaseEnded{})
}

func (w *world) leaseSeen(g *simGateway) {
	g.lease = -1
	w.at(g, LeaseSeen{})
}

func (w *world) gatewayAnew(g *simGateway) {
	g.times++
	m, err := NewMirror(nodeName, fmt.Sprint(g.name, g.times), simBounds)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	*g = simGateway{name: g.name, times: g.times, mirror: m, room: newRoom(registry.Options{}), timers: map[uint64]time.Duration{}, lost: -1, lease: -1}
	w.at(g, LinkBack{})
}

// pass lets time pass, and what is due be told.
func (w *world) pass(t *rapid.T) {
	w.until(w.now + time.Duration(rapid.SampledFrom([]int{10, 200, 300, 700, 1000, 1500}).Draw(t, "ms"))*time.Millisecond)
}

func (w *world) until(end time.Duration) {
	for {
		var next *simGateway
		var seq uint64
		due := end + 1
		for _, g := range w.gateways {
			for _, s := range slices.Sorted(maps.Keys(g.timers)) {
				if g.timers[s] < due {
					next, seq, due = g, s, g.timers[s]
				}
			}
		}
		if next == nil {
			w.now = end
			return
		}
		w.now = max(w.now, due)
		delete(next.timers, seq)
		w.at(next, BoundDue{seq})
		w.check()
	}
}

// check holds at any moment.
func (w *world) check() {
	for _, g := range w.gateways {
		at, content := g.mirror.At(), g.mirror.Content()
		if at == (wire.Position{}) {
			w.must(len(content.Pages)+len(content.Browsers) == 0, "%s has content of nowhere", g.name)
		} else {
			m := w.history[at]
			w.must(m != nil, "%s is at %v, where no node has been", g.name, at)
			w.must(shown(content.Pages) == m.shown, "%s has at %v\n%s\nand the node had\n%s", g.name, at, shown(content.Pages), m.shown)
			w.must(at.Incarnation != g.was.Incarnation || at.Version >= g.was.Version, "%s went back from %v to %v", g.name, g.was, at)
			w.must(m.until == 0 || w.now-m.until <= simBounds.Stale(), "%s shows what ended %v ago, at %v", g.name, w.now-m.until, at)
			w.must(g.lost < 0 || w.now-g.lost <= simBounds.Lost, "%s shows pages %v after the link was lost", g.name, w.now-g.lost)
			w.must(g.lease < 0 || w.now-g.lease <= simBounds.Lease, "%s shows pages %v after the lease ended", g.name, w.now-g.lease)
		}
		g.was = at
		has := []*registry.Facts{}
		for _, f := range content.Pages {
			w.must(strings.HasPrefix(string(f.Page), nodeName+"/"), "a page is called %s", f.Page)
			has = append(has, g.room.has[f.Page])
		}
		w.must(slices.Equal(has, content.Pages) && len(g.room.has) == len(has), "%s was told of other content than there is", g.name)
	}
}

// call calls a tool as a gateway knows it.
func (w *world) call(t *rapid.T) {
	c := w.any(t).mirror.Content()
	var pages []*registry.Facts
	for _, f := range c.Pages {
		if len(f.Tools) > 0 {
			pages = append(pages, f)
		}
	}
	if len(pages) == 0 {
		return
	}
	f := rapid.SampledFrom(pages).Draw(t, "page")
	tool := rapid.SampledFrom(f.Tools).Draw(t, "tool")
	_, own := Own(f.Page)
	hub, err := Find(w.node.state.Catalog(), &wire.Call{Page: string(own), Frame: string(tool.Frame), Doc: uint64(tool.Doc), Runtime: tool.Runtime, Tool: tool.Name, Digest: wire.Digest(tool)}, &wire.Digests{})
	if err == nil && (hub.Route.Page != own || hub.Route.Doc != tool.Doc || wire.Digest(hub.Source()) != wire.Digest(tool)) {
		err = errors.New("another")
		w.t.Fatalf("%v: asked for %+v, found %+v", err, tool, hub.Route)
	}
}

// quiet lets everything that is under way arrive, and nothing be lost any more. Then all have the
// same.
func (w *world) quiet() {
	w.full = false
	w.node.calm()
	for _, g := range w.gateways {
		w.leaseSeen(g)
	}
	same := func() bool {
		return !slices.ContainsFunc(w.gateways, func(g *simGateway) bool {
			return !g.mirror.Known() || g.mirror.At() != w.node.source.At()
		})
	}
	end := w.now + 20*time.Second
	for w.now < end && (len(w.waiting) > 0 || !same()) {
		for len(w.waiting) > 0 {
			w.deliver(nil)
			w.check()
		}
		w.until(w.now + 100*time.Millisecond)
	}
	for _, g := range w.gateways {
		w.must(g.mirror.Known() && g.mirror.At() == w.node.source.At(), "%s is at %v, and the node at %v, after %v of quiet", g.name, g.mirror.At(), w.node.source.At(), 20*time.Second)
		got, want := listed(g.room.state.Catalog()), listed(w.node.state.Catalog())
		w.must(got == want, "%s lists\n%s\nand the node\n%s", g.name, got, want)
	}
}

func (w *world) must(ok bool, format string, args ...any) {
	w.t.Helper()
	if !ok {
		w.t.Fatalf(format, args...)
	}
}
