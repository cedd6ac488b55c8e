package replica

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/browsers"
)

// MirrorEvent is what a [Mirror] is told.
type MirrorEvent interface{ mirrorEvent() }

// The events of a [Mirror].
type (
	// Received is a message of the node: Welcome, Refused, Whole, Changes or Pong. Others are not
	// for it.
	Received struct{ Message wire.Message }
	// LinkLost says that messages from or to the node may have been lost.
	LinkLost struct{ Why string }
	// LinkBack says that there is a way to the node: at first, and after LinkLost. Where nothing
	// says so the Mirror finds out by itself, later.
	LinkBack struct{}
	// LeaseEnded says that the node's lease is known to have ended, not only that nobody knows.
	LeaseEnded struct{}
	// LeaseSeen says that the node has a lease. It has one at first.
	LeaseSeen struct{}
	// BoundDue says that the time of an [Arm] is over.
	BoundDue struct{ Seq uint64 }
	// Ended says that nobody wants to know of the node any more: its content is gone at once, and
	// nothing is asked again.
	Ended struct{}
)

// MirrorEffect is what a [Mirror] wants done.
type MirrorEffect interface{ mirrorEffect() }

// The effects of a [Mirror], besides [LeftOut].
type (
	// Ask sends a message to the node. If it can't be sent it counts as lost.
	Ask struct{ Message wire.Message }
	// Content is how the node's content has changed. First Gone are closed, then Pages are opened
	// or changed, in their order; a page of both is another than before, of the same id. Page and Browser
	// of [registry.Facts] are names of the cluster ([Named]). What is unchanged keeps its pointers.
	Content struct {
		Gone  []registry.PageID
		Pages []*registry.Facts
		// Epoch is that of all of the node's pages.
		Epoch registry.Epoch
		// Browsers are all of the node's; none while the node is not known.
		Browsers []browsers.Browser
	}
	// Arm asks for a [BoundDue] with the same Seq after that time.
	Arm struct {
		Seq   uint64
		After time.Duration
	}
)

func (Received) mirrorEvent()   {}
func (LinkLost) mirrorEvent()   {}
func (LinkBack) mirrorEvent()   {}
func (LeaseEnded) mirrorEvent() {}
func (LeaseSeen) mirrorEvent()  {}
func (BoundDue) mirrorEvent()   {}
func (Ended) mirrorEvent()      {}
func (Ask) mirrorEffect()       {}
func (Content) mirrorEffect()   {}
func (Arm) mirrorEffect()       {}
func (LeftOut) mirrorEffect()   {}

// Bounds are the times after which a [Mirror] acts. Zeros are the defaults.
type Bounds struct {
	Lost    time.Duration // how long content stays after the link is known to be lost; 600 ms
	Behind  time.Duration // how long it stays though changes are known to be missing; 5 s
	Lease   time.Duration // how long it stays after the lease has ended; 15 s, in which a node registers again after etcd lost its data
	Ping    time.Duration // the time between two pings; 1 s
	Silence int           // how many pings may be unanswered before the link counts as lost; 5
	Ask     time.Duration // after how long is asked again first; 200 ms. It grows to 10 times that
}

func (b Bounds) orDefaults() Bounds {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&b.Lost, 600*time.Millisecond)
	set(&b.Behind, 5*time.Second)
	set(&b.Lease, 15*time.Second)
	set(&b.Ping, time.Second)
	set(&b.Ask, 200*time.Millisecond)
	if b.Silence <= 0 {
		b.Silence = 5
	}
	return b
}

// Mirror is what a gateway knows of a node's pages. Make one with [NewMirror]; it belongs to one
// goroutine, which begins with [LinkBack].
type Mirror struct {
	replica
	bounds      Bounds
	incarnation string // the gateway's
	talk
	timers  timers
	effects []MirrorEffect
	noLease bool // for longer than the bound
	ended   bool
}

// talk is how the talk with the node stands.
type talk struct {
	count    uint64 // of talks
	with     string // the node's incarnation, once it has welcomed
	fresh    bool   // the content is known to be what the node had in this talk
	wanted   bool   // the whole was asked for
	pinged   uint64 // the last ping
	answered uint64 // the last that was answered
	tries    int    // how often it was asked, in vain
}

// NewMirror knows nothing yet of the node of that name. incarnation is the gateway's. It is an
// error if no node may be called so.
func NewMirror(node, incarnation string, b Bounds) (*Mirror, error) {
	if why := NodeError(node); why != "" {
		return nil, fmt.Errorf("%q: %s", node, why)
	}
	return &Mirror{replica: newReplica(node), bounds: b.orDefaults(), incarnation: incarnation}, nil
}

// Content is all there is, as for somebody who knows nothing yet.
func (m *Mirror) Content() Content {
	return Content{Epoch: m.epoch, Browsers: m.browsers, Pages: slices.Clone(m.order)}
}

// Page is one of the node's pages by its name in the cluster, or nil.
func (m *Mirror) Page(id registry.PageID) *registry.Facts { return m.pages[id] }

// Known says that the content is what the node has, as far as is known.
func (m *Mirror) Known() bool { return m.fresh }

// At is the node's position that the content is of; zero if there is none.
func (m *Mirror) At() wire.Position { return m.at }

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
			m.begin()
		}
	case LinkLost:
		if m.with != "" || m.count == 0 {
			m.anew()
		}
	case LinkBack:
		if m.with == "" && !m.noLease {
			m.tries = 0
			m.begin()
		}
	case Received:
		if !m.noLease {
			m.received(e.Message)
		}
	}
	return m.effects
}

func (m *Mirror) do(e MirrorEffect) { m.effects = append(m.effects, e) }

// name is the current talk's.
func (m *Mirror) name() string { return m.incarnation + "." + strconv.FormatUint(m.count, 10) }

// anew begins another talk, because the node can't be relied on to have heard, or to have told, all
// in this one.
func (m *Mirror) anew() {
	m.talk = talk{count: m.count + 1}
	m.parts = nil
	m.timers.off(pingTimer)
	if m.at != (wire.Position{}) {
		m.armStale(m.bounds.Lost)
	}
	m.greet()
}

// begin says Hello, in a new talk if there was none yet.
func (m *Mirror) begin() {
	if m.count == 0 {
		m.count = 1
	}
	m.greet()
}

func (m *Mirror) greet() {
	if m.noLease {
		return
	}
	m.do(Ask{wire.Hello{Oldest: wire.Oldest, Newest: wire.Newest, Incarnation: m.incarnation, Has: m.at, Talk: m.name()}})
	m.askAgain()
}

// want asks for the whole, unless that is asked for already.
func (m *Mirror) want() {
	if m.wanted {
		return
	}
	m.wanted = true
	m.do(Ask{wire.Want{}})
	m.askAgain()
}

// askAgain arms the time after which nothing has come of what was asked.
func (m *Mirror) askAgain() {
	m.arm(askTimer, min(m.bounds.Ask<<min(m.tries, 4), 10*m.bounds.Ask))
	m.tries++
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
		if in.Talk == m.name() && m.with != "" && in.At.Incarnation == m.with {
			m.whole(in)
		}
	case wire.Changes:
		if in.Talk == m.name() && m.with != "" && in.At.Incarnation == m.with {
			m.changes(in)
		}
	case wire.Pong:
		m.ponged(in)
	}
}

func (m *Mirror) welcomed(w wire.Welcome) {
	if w.Talk != m.name() || m.with != "" {
		return
	}
	if w.Version < wire.Oldest || w.Version > wire.Newest || w.Incarnation == "" || len(w.Incarnation) > maxText {
		m.do(LeftOut{Node: m.node, Why: fmt.Sprintf("its welcome is to version %d of the protocol, and incarnation %q", w.Version, cut(w.Incarnation, 100))})
		return
	}
	m.with, m.tries = w.Incarnation, 0
	m.askAgain()
	m.arm(pingTimer, m.bounds.Ping)
}

// whole takes a part of the whole.
func (m *Mirror) whole(w wire.Whole) {
	if m.at.Incarnation == w.At.Incarnation && w.At.Version < m.at.Version {
		return // it is late
	}
	all, complete := m.collect(w)
	if !complete {
		return
	}
	if all.At != m.at {
		content, left := m.replace(all)
		m.show(content, left)
	}
	m.confirmed()
}

func (m *Mirror) changes(c wire.Changes) {
	switch {
	case m.at.Incarnation != c.At.Incarnation || c.From > m.at.Version:
		m.behind()
		m.want()
	case c.At.Version < m.at.Version:
		// it is late
	case c.At.Version == m.at.Version:
		m.confirmed()
	default:
		content, left := m.apply(c)
		m.show(content, left)
		m.confirmed()
	}
}

func (m *Mirror) ponged(p wire.Pong) {
	if p.Talk == "" && m.with != "" {
		m.anew() // the node knows of no talk: it has started anew, say
		return
	}
	if p.Talk != m.name() || p.At.Incarnation != m.with || p.Seq > m.pinged {
		return
	}
	m.answered = max(m.answered, p.Seq)
	switch {
	case m.at.Incarnation != m.with || p.At.Version > m.at.Version:
		m.behind()
		if m.at.Incarnation != m.with || p.Sent > m.at.Version {
			m.want()
		}
	case p.At.Version == m.at.Version:
		m.confirmed()
	}
}

func (m *Mirror) show(c Content, left []LeftOut) {
	m.do(c)
	for _, l := range left {
		m.do(l)
	}
}

// confirmed takes note that the content is what the node had in this talk, lately.
func (m *Mirror) confirmed() {
	m.fresh, m.wanted, m.tries = true, false, 0
	m.timers.off(askTimer)
	m.timers.off(staleTimer)
}

// behind takes note that there is content that hasn't come.
func (m *Mirror) behind() {
	m.fresh = false
	if m.at != (wire.Position{}) {
		m.armStale(m.bounds.Behind)
	}
	if !m.timers.on(askTimer) {
		m.askAgain()
	}
}

// due carries out what a time is over for.
func (m *Mirror) due(seq uint64) {
	switch m.timers.due(seq) {
	case askTimer:
		m.wanted = false
		if m.with == "" {
			m.greet()
		} else {
			m.want()
		}
	case pingTimer:
		if m.pinged-m.answered >= uint64(m.bounds.Silence) {
			m.anew()
			return
		}
		m.pinged++
		m.do(Ask{wire.Ping{Seq: m.pinged}})
		m.arm(pingTimer, m.bounds.Ping)
	case staleTimer:
		m.drop()
	case leaseTimer:
		m.noLease = true
		m.drop()
		m.talk = talk{count: m.count + 1}
		m.timers = timers{last: m.timers.last}
	}
}

// drop hides all content.
func (m *Mirror) drop() {
	m.fresh = false
	if m.at != (wire.Position{}) {
		m.do(m.forget())
	}
}
