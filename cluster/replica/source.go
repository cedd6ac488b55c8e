package replica

import (
	"fmt"
	"maps"
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// SourceEvent is what a [Source] is told.
type SourceEvent interface{ sourceEvent() }

// The events of a [Source].
type (
	// Served is the catalog that the node's registry has served, and by name the lives that its
	// browsers were in by then; nil if nobody counts them.
	Served struct {
		Catalog *registry.Catalog
		Lives   map[string]string
	}
	// Heard is what a gateway says: a Hello, a Got, a Want or a Ping. Other messages are not for it.
	Heard struct {
		Gateway string
		Message wire.Message
	}
	// GatewayLost says that what was sent to a gateway may have been lost.
	GatewayLost struct{ Gateway string }
	// Unsent says that a [Send] could not be carried out, because too much waits for the gateway. What
	// it had to say is told later, together with what has come by then.
	Unsent struct{ Send }
)

// SourceEffect is what a [Source] wants done.
type SourceEffect interface{ sourceEffect() }

// The effects of a [Source].
type (
	// Send sends a message to a gateway.
	Send struct {
		Gateway string
		Message wire.Message
	}
	// LeftOut is something that isn't passed on, and why, for the log.
	LeftOut struct {
		Node string // "" at the node itself
		Page string // the node's own id, "" if it is no page's
		Why  string
	}
)

func (Served) sourceEvent()      {}
func (Heard) sourceEvent()       {}
func (GatewayLost) sourceEvent() {}
func (Unsent) sourceEvent()      {}
func (Send) sourceEffect()       {}
func (LeftOut) sourceEffect()    {}

// Source tells gateways what a node's pages offer. Make one with [NewSource]; it belongs to one
// goroutine.
type Source struct {
	content
	welcome  wire.Welcome // but for Version and Talk
	gateways map[string]*gateway
}

// gateway is one that is in a talk with the node.
type gateway struct {
	name, talk string
	sent       uint64 // the version up to which it was told
	whole      bool   // it must be told all

	confirms bool // it says what has come
	edits    bool // it takes edits
	onTheWay int  // what was sent and, as far as is known, hasn't come
}

// maxOnTheWay is how many Changes or Wholes are on the way to a gateway that confirms them. So a
// gateway that can't follow is told less often, of what is so then.
const maxOnTheWay = 2

// NewSource makes a Source without pages. welcome is what gateways get: Incarnation is needed, and
// Build and Labels are passed on.
func NewSource(welcome wire.Welcome) *Source {
	return &Source{content: newContent(), welcome: welcome, gateways: map[string]*gateway{}}
}

// At is the node's position.
func (s *Source) At() wire.Position {
	return wire.Position{Incarnation: s.welcome.Incarnation, Version: s.version}
}

// Step takes an event and returns what is to be done, in order.
func (s *Source) Step(e SourceEvent) (effects []SourceEffect) {
	switch e := e.(type) {
	case Served:
		changed, left := s.serve(e.Catalog, e.Lives)
		effects = left
		if changed {
			for _, name := range slices.Sorted(maps.Keys(s.gateways)) {
				effects = append(effects, s.tell(s.gateways[name])...)
			}
		}
	case Heard:
		return s.heard(e.Gateway, e.Message)
	case GatewayLost:
		delete(s.gateways, e.Gateway)
	case Unsent:
		s.unsent(e.Send)
	}
	return effects
}

func (s *Source) heard(from string, m wire.Message) []SourceEffect {
	g := s.gateways[from]
	switch m := m.(type) {
	case wire.Hello:
		return s.greet(from, m)
	case wire.Got:
		if g == nil || m.Talk != g.talk {
			return nil
		}
		g.onTheWay = max(0, g.onTheWay-1)
		return s.tell(g)
	case wire.Want:
		if g == nil {
			return nil // the answer to its next ping tells it that there is no talk
		}
		g.whole = true
		return s.tell(g)
	case wire.Ping:
		pong := wire.Pong{Seq: m.Seq, At: s.At()}
		if g == nil {
			return []SourceEffect{Send{from, pong}}
		}
		if pong.Talk = g.talk; !g.whole {
			pong.Sent = g.sent
		}
		g.onTheWay = 0 // should a Got have been lost
		return append([]SourceEffect{Send{from, pong}}, s.tell(g)...)
	}
	return nil
}

// greet begins a talk.
func (s *Source) greet(from string, h wire.Hello) []SourceEffect {
	version := min(h.Newest, wire.Newest)
	if version < max(h.Oldest, wire.Oldest) {
		delete(s.gateways, from)
		return []SourceEffect{Send{from, wire.Refused{Why: fmt.Sprintf("the node speaks the versions %d to %d of the "+
			"protocol, and the gateway %d to %d; upgrade the older of the two", wire.Oldest, wire.Newest, h.Oldest,
			h.Newest)}}}
	}
	w := s.welcome
	w.Version, w.Talk = version, h.Talk
	if g := s.gateways[from]; g != nil && g.talk == h.Talk { // the answer is on its way, or else the next Pong tells that it was lost
		return []SourceEffect{Send{from, w}}
	}
	g := &gateway{name: from, talk: h.Talk, sent: h.Has.Version, confirms: h.Confirms, edits: h.Edits}
	g.whole = h.Has.Incarnation != s.welcome.Incarnation || h.Has.Version < s.floor || h.Has.Version > s.version
	s.gateways[from] = g
	if !g.whole && g.sent == s.version { // it is told so
		return []SourceEffect{Send{from, w}, Send{from, wire.Changes{From: g.sent, At: s.At(), Talk: g.talk}}}
	}
	return append([]SourceEffect{Send{from, w}}, s.tell(g)...)
}

// tell tells a gateway what it lacks.
func (s *Source) tell(g *gateway) (effects []SourceEffect) {
	switch {
	case !g.whole && g.sent == s.version:
		return nil
	case g.confirms && g.onTheWay >= maxOnTheWay:
		return nil // its next Got, or Ping, is followed by what it lacks then
	}
	g.onTheWay++
	if !g.whole && g.sent >= s.floor {
		if c, fits := s.since(g.sent, g.edits); fits {
			c.At, c.Talk = s.At(), g.talk
			g.sent = s.version
			return []SourceEffect{Send{g.name, c}}
		}
	}
	for _, w := range s.all() {
		w.At, w.Talk = s.At(), g.talk
		effects = append(effects, Send{g.name, w})
	}
	g.sent, g.whole = s.version, false
	return effects
}

// unsent takes back that something was sent.
func (s *Source) unsent(e Send) {
	g := s.gateways[e.Gateway]
	if g == nil {
		return
	}
	g.onTheWay = max(0, g.onTheWay-1)
	switch m := e.Message.(type) {
	case wire.Whole:
		g.whole = g.whole || m.Talk == g.talk
	case wire.Changes:
		if m.Talk == g.talk {
			g.sent = min(g.sent, m.From)
		}
	}
}
