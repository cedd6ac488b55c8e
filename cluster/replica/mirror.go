package replica

import (
	"fmt"
	"strconv"

	"webmcphub/cluster/names"
	"webmcphub/cluster/wire"
)

// Mirror is what a gateway knows of a node's pages. Make one with [NewMirror]; it belongs to one
// goroutine, which begins with [LinkBack].
type Mirror struct {
	replica
	bounds      Bounds
	incarnation string // the gateway's
	talk
	timers  timers
	effects []MirrorEffect
	shown   bool   // the content is; else it is kept back, until it is known not to be too old
	noLease bool   // for longer than the bound
	refused string // why the node isn't heeded for a while, "" while it is
	ended   bool
}

// talk is how the talk with the node stands.
type talk struct {
	count    uint64 // of talks
	with     string // the node's incarnation, once it has welcomed
	fresh    bool   // the content is what the node had in this talk, and nothing later is known of
	highest  uint64 // the latest version that the node has told of
	wanted   bool   // the whole was asked for
	asked    uint64 // the last ping before that
	pinged   uint64 // the last ping
	answered uint64 // the last that was answered
	heard    uint64 // the last ping before something came in this talk, or a part of something
	tries    int    // how often in a row it was greeted in vain
}

// NewMirror makes the Mirror of a node, which knows nothing yet. incarnation is the gateway's. The
// error says that no node can have that name.
func NewMirror(node, incarnation string, b Bounds) (*Mirror, error) {
	if err := names.Check("node", node); err != nil {
		return nil, err
	}
	return &Mirror{replica: newReplica(node), bounds: b.orDefaults(), incarnation: incarnation}, nil
}

// Step takes an event and returns what is to be done, in order.
func (m *Mirror) Step(e MirrorEvent) []MirrorEffect {
	m.effects = nil
	switch e := e.(type) {
	case BoundDue:
		m.due(e.Seq)
	case Ended:
		m.drop()
		m.ended, m.timers, m.talk = true, timers{}, talk{count: m.count}
	}
	if m.ended {
		return m.effects
	}
	switch e := e.(type) {
	case LeaseEnded:
		m.armOnce(leaseTimer, m.bounds.Lease)
	case LeaseSeen:
		m.timers.off(leaseTimer)
		if m.noLease {
			m.noLease = false
			m.anew()
		}
	case LinkLost:
		if m.with != "" && m.heeds() {
			m.anew()
		}
	case LinkBack:
		if m.with == "" && m.heeds() {
			m.tries = 0
			m.anew()
		}
	case Overrun:
		if m.heeds() {
			m.refuse(e.Why)
		}
	case Hearing:
		m.heard = m.pinged
	case Received:
		if m.heeds() {
			m.received(e.Message)
		}
	}
	return m.effects
}

// heeds says whether the node is listened to.
func (m *Mirror) heeds() bool { return !m.noLease && m.refused == "" }

// Refused is why the node isn't heeded for a while; "" while it is.
func (m *Mirror) Refused() string { return m.refused }

func (m *Mirror) do(e MirrorEffect) { m.effects = append(m.effects, e) }

// name is the current talk's.
func (m *Mirror) name() string { return m.incarnation + "." + strconv.FormatUint(m.count, 10) }

// anew begins another talk, because the node can't be relied on to have heard, or to have told, all
// in this one.
func (m *Mirror) anew() {
	if m.shown {
		m.armStale(m.bounds.Lost)
	}
	tries := m.tries
	if m.with != "" {
		tries = 0
	}
	m.talk = talk{count: m.count + 1, tries: tries}
	m.parts = nil
	// Pings count from the beginning: what the node says in the talk is known by them to be no
	// older than that.
	m.arm(pingTimer, m.bounds.Ping)
	m.greet()
}

func (m *Mirror) greet() {
	m.do(Ask{wire.Hello{Oldest: wire.Oldest, Newest: wire.Newest, Incarnation: m.incarnation, Has: m.at, Talk: m.name(),
		Confirms: true, Edits: true}})
	m.arm(askTimer, min(m.bounds.Ask<<min(m.tries, 4), 10*m.bounds.Ask))
	m.tries++
}

// want asks for the whole, unless that is asked for already. It is asked for again when a later ping is
// answered before it has come, and not after a time: on a slow way it would be told again and again, and
// what is told last never arrive.
func (m *Mirror) want() {
	if m.wanted {
		return
	}
	m.wanted, m.asked = true, m.pinged
	m.do(Ask{wire.Want{}})
}

func (m *Mirror) received(message wire.Message) {
	switch in := message.(type) {
	case wire.Welcome:
		m.welcomed(in)
	case wire.Refused:
		if m.with == "" {
			m.do(LeftOut{Node: m.node, Why: "it refuses to talk: " + cut(in.Why, maxText)})
		}
	case wire.Whole:
		if m.talksWith(in.Talk, in.At.Incarnation) {
			m.heard = m.pinged
			m.whole(in)
			if !in.More && m.refused == "" {
				m.do(Ask{wire.Got{Talk: in.Talk}})
			}
		}
	case wire.Changes:
		if m.talksWith(in.Talk, in.At.Incarnation) {
			m.heard = m.pinged
			m.changes(in)
			if m.refused == "" {
				m.do(Ask{wire.Got{Talk: in.Talk}})
			}
		}
	case wire.Pong:
		m.ponged(in)
	}
}

// talksWith says whether something was said in this talk, by the incarnation of the node that
// welcomed us to it. If two did, because Hello was repeated, nobody knows which is the later one: the
// talk begins anew.
func (m *Mirror) talksWith(talk, incarnation string) bool {
	if talk != m.name() || m.with == "" {
		return false
	}
	if incarnation != m.with {
		m.anew()
		return false
	}
	return true
}

func (m *Mirror) welcomed(w wire.Welcome) {
	if m.talksWith(w.Talk, w.Incarnation) || w.Talk != m.name() {
		return
	}
	if w.Version < wire.Oldest || w.Version > wire.Newest || w.Incarnation == "" || len(w.Incarnation) > maxText {
		m.do(LeftOut{Node: m.node, Why: fmt.Sprintf("its welcome can't be right: version %d of the protocol, "+
			"incarnation %q", w.Version, cut(w.Incarnation, 100))})
		return
	}
	m.with, m.tries = w.Incarnation, 0
	// Those that were lost on the way here don't end the talk unless the next one is, too.
	if silence := uint64(m.bounds.Silence); m.pinged-m.answered >= silence {
		m.answered = m.pinged - silence + 1
	}
	m.timers.off(askTimer) // should what follows be lost, the next Pong tells
}

// whole takes a part of the whole.
func (m *Mirror) whole(w wire.Whole) {
	known := m.at.Incarnation == w.At.Incarnation
	if known && w.At.Version < m.at.Version || !known && w.At.Version < m.highest {
		return // it is late
	}
	all, complete := m.collect(w)
	if m.partly > maxWeight {
		m.refuse(tooMuch)
	}
	if !complete || m.refused != "" {
		return
	}
	if all.At != m.at {
		content, left := m.replace(all)
		m.show(content, left)
	}
	m.confirmed(w.At.Version)
}

func (m *Mirror) changes(c wire.Changes) {
	switch {
	case c.From > c.At.Version:
		// no node says so
	case m.at.Incarnation != c.At.Incarnation || c.From > m.at.Version:
		m.want()
		m.behind(c.At.Version)
	case c.At.Version > m.at.Version:
		content, left, ok := m.apply(c)
		if !ok { // no honest node says so
			m.want()
			m.behind(c.At.Version)
			return
		}
		m.show(content, left)
		m.confirmed(c.At.Version)
	default:
		m.confirmed(c.At.Version)
	}
}

func (m *Mirror) ponged(p wire.Pong) {
	if p.Talk == "" && m.with != "" {
		m.anew() // the node knows of no talk: it has started anew, say
		return
	}
	if p.Talk != m.name() || p.Seq > m.pinged {
		return
	}
	m.answered = max(m.answered, p.Seq)
	if !m.talksWith(p.Talk, p.At.Incarnation) {
		return
	}
	if m.at.Incarnation == m.with && p.At.Version <= m.at.Version {
		m.confirmed(p.At.Version)
		return
	}
	if m.at.Incarnation != m.with || p.Sent > m.at.Version {
		m.wanted = m.wanted && p.Seq <= m.asked
		m.want()
	}
	m.behind(p.At.Version)
}

func (m *Mirror) show(c Content, left []LeftOut) {
	if m.weight > maxWeight {
		m.refuse(tooMuch)
		return
	}
	switch {
	case m.shown:
		m.do(c)
	case !m.silent():
		if m.reveal(); m.highest > m.at.Version {
			m.armStale(m.bounds.Behind)
		}
	}
	for _, l := range left {
		m.do(l)
	}
}

// tooMuch is why a node is refused that has more than any tells.
var tooMuch = fmt.Sprintf("its pages offer more than %d MiB", maxWeight>>20)

// refuse hides a node for what it says, and asks it anew only after a while.
func (m *Mirror) refuse(why string) {
	m.drop()
	m.refused, m.parts, m.partly = why, nil, 0
	m.talk = talk{count: m.count + 1}
	m.timers.off(askTimer)
	m.timers.off(pingTimer)
	m.timers.off(staleTimer)
	m.arm(refuseTimer, m.bounds.Refuse)
	m.do(LeftOut{Node: m.node, Why: fmt.Sprintf("the node is not heeded for %v: %s", m.bounds.Refuse, why)})
}

// confirmed notes that the content is no older than a version that the node had in this talk. Nothing
// is due then, unless a later version is known of.
func (m *Mirror) confirmed(version uint64) {
	if m.refused != "" {
		return
	}
	m.highest = max(m.highest, version)
	if m.highest > m.at.Version {
		return
	}
	m.wanted = false
	if m.silent() { // it is what the node had once; how long ago, nobody knows
		m.slow()
		return
	}
	m.fresh = true
	m.timers.off(staleTimer)
	if !m.shown && m.at != (wire.Position{}) {
		m.reveal()
	}
}

// reveal shows what was kept back.
func (m *Mirror) reveal() {
	m.shown = true
	m.do(m.all())
}

// silent says whether as many pings as end a talk aren't answered.
func (m *Mirror) silent() bool { return m.pinged-m.answered >= uint64(m.bounds.Silence) }

// behind notes that the node has a version that hasn't come.
func (m *Mirror) behind(version uint64) {
	m.fresh, m.highest = false, max(m.highest, version)
	if m.shown {
		m.armStale(m.bounds.Behind)
	}
}

// slow notes that no answer comes, but something does: a large message is on a slow way, before the answers. What was shown
// may be out of date, as if a later version were known of.
func (m *Mirror) slow() {
	m.fresh = false
	if m.shown {
		m.armStale(m.bounds.Behind)
	}
}

// due carries out what a time is over for.
func (m *Mirror) due(seq uint64) {
	switch m.timers.due(seq) {
	case askTimer:
		m.greet()
	case pingTimer:
		if m.silent() {
			if m.pinged-m.heard >= uint64(m.bounds.Silence) {
				m.anew()
				return
			}
			m.slow()
		}
		m.pinged++
		m.do(Ask{wire.Ping{Seq: m.pinged}})
		m.arm(pingTimer, m.bounds.Ping)
	case staleTimer:
		m.drop()
	case refuseTimer:
		m.refused = ""
		m.anew()
	case leaseTimer:
		m.noLease, m.refused = true, ""
		m.drop()
		m.talk = talk{count: m.count + 1}
		m.timers = timers{last: m.timers.last}
	}
}

// drop hides all content.
func (m *Mirror) drop() {
	m.fresh = false
	if m.at != (wire.Position{}) {
		if gone := m.forget(); m.shown {
			m.do(gone)
		}
	}
	m.shown = false
}
