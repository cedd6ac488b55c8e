package gateway

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"webmcphub/cluster/link"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// flight is a request under way at a node.
type flight struct {
	kind wire.RequestKind
	body any
	in   registry.ServerRef // the document that carries it out, as the gateway names it; zero for none
	room *room              // whose request it is; nil for the gateway's own
	// trace is the traceparent of the client's request, "" if it has none.
	trace string

	// words is how long the node's reply is awaited after the request was given up; 0 is not at all.
	words    time.Duration
	progress func(json.RawMessage) // nil where none is wanted; called before the reply is given
	reply    chan outcome          // takes one
	id       uint64                // the talk's
}

// outcome is how a request ended.
type outcome struct {
	result json.RawMessage
	err    error
	lost   string // why its node was lost meanwhile; "" if it wasn't
}

// standing is how a talk stands. Anybody may read it.
type standing struct {
	load      load
	answers   atomic.Bool              // the node does
	hears     atomic.Bool              // hears waits in its box
	automates atomic.Pointer[[]string] // categories of browser tools, as the node says; nil before it has
}

// talk is the talk with one node.
type talk struct {
	*Gateway
	node string
	box  *mailbox.Box[any]
	over chan struct{} // closed when run has ended
	stop chan struct{} // closed when it is to end

	standing

	// What follows belongs to run.
	peer    link.Peer
	mirror  *replica.Mirror
	flights map[uint64]*flight
	last    uint64 // id of a request
	up      bool   // the node has answered Hello
	why     string // why it isn't up
	life    life
	asked   map[uint64]func(error) // questions of pages: what withdraws each
}

// life is one of a node's, from its start to its end: that of the node that answered last.
type life struct {
	incarnation string
	leaving     string // why it leaves, "" while it stays
	// begins: it hasn't told yet what there is now. Until then the house keeps hiding what a life that left had
	// offered.
	begins bool
}

func (g *Gateway) newTalk(peer link.Peer) (*talk, error) {
	mirror, err := replica.NewMirror(peer.Name, g.incarnation, replica.Bounds{})
	if err != nil {
		return nil, err
	}
	t := &talk{Gateway: g, node: peer.Name, peer: peer, box: mailbox.New[any](maxWaiting), over: make(chan struct{}),
		stop:   make(chan struct{}),
		mirror: mirror, flights: map[uint64]*flight{}, asked: map[uint64]func(error){}, why: "it has not answered yet"}
	go t.run()
	return t, nil
}

// What comes into its box, beside *flight and what it takes of the node.
type (
	lost struct{ why error }
	// hears says that a part of something that the node says has come.
	hears struct{}
	// gaveUp says that nobody waits for a flight's reply any more.
	gaveUp struct {
		*flight
		why   string
		words bool // but for what the node says of its end
	}
	// answered is a client's answer to a page's question.
	answered struct{ wire.Answered }
	// moved says where the node is now.
	moved struct{ to link.Peer }
	// due is an event of the mirror's that it asked for.
	due struct{ replica.MirrorEvent }
)

// run owns the talk.
func (t *talk) run() {
	defer close(t.over)
	t.step(replica.LinkBack{})
	for {
		select {
		case <-t.stop:
			t.life.leaving = "the gateway lets go of it"
			t.loses(errors.New("the gateway lets go of the node"))
			t.step(replica.Ended{})
			return
		case <-t.box.Ready():
			for _, m := range t.box.Take() {
				t.handle(m)
			}
		}
	}
}

func (t *talk) handle(m any) {
	switch m := m.(type) {
	case *flight:
		t.begin(m)
	case gaveUp:
		if t.flights[m.id] == m.flight {
			if !m.words {
				t.end(m.flight, outcome{err: errors.New(m.why)})
			}
			t.send(wire.Cancel{ID: m.id, Why: m.why})
		}
	case answered:
		if t.asked[m.ID] != nil {
			delete(t.asked, m.ID)
			t.send(m.Answered)
		}
	case lost:
		t.loses(m.why)
		t.step(replica.LinkLost{Why: m.why.Error()})
	case moved:
		if m.to.Address != t.peer.Address {
			t.peer = m.to
			t.step(replica.LinkLost{Why: "it is at another address now"})
		}
	case hears:
		t.hears.Store(false)
		t.step(replica.Hearing{})
	case due:
		t.step(m.MirrorEvent)
	case levelled:
		t.tellLevel()
	case came:
		t.load.owed = m.weight
		t.heard(m.Message)
		t.hands()()
	case overrun:
		t.overran()
	case confirmed:
		t.send(m.Got)
	}
}

func (t *talk) send(m wire.Message) {
	if err := t.link.Send(t.peer, m); err != nil {
		t.log.Debug("a message was not sent", "node", t.node, "err", err)
	}
}

// heard takes what the node says.
func (t *talk) heard(m wire.Message) {
	switch m := m.(type) {
	case wire.Welcome:
		t.welcomed(m)
	case wire.Whole, wire.Changes, wire.Pong, wire.Refused:
		t.step(replica.Received{Message: m})
	case wire.Reply:
		if f := t.flights[m.ID]; f != nil {
			t.end(f, outcomeOf(m))
		}
	case wire.Progress:
		if f := t.flights[m.ID]; f != nil && f.progress != nil {
			f.progress(m.Params)
		}
	case wire.Question:
		t.question(m)
	case wire.QuestionOver:
		if withdraw := t.asked[m.ID]; withdraw != nil {
			delete(t.asked, m.ID)
			withdraw(errors.New("the page no longer waits for the answer"))
		}
	case wire.Told:
		done := t.hands()
		if !t.house.box.Put(said{t.node, m, done}) {
			done()
		}
	case wire.Leaving:
		t.log.Info("a node is leaving", "node", t.node, "why", m.Why)
		t.life.leaving, t.life.begins = m.Why, false
		t.house.box.Must(departs{t.node, m.Why})
	}
}

// welcomed: the node answers. One that leaves goes on doing so, unless it was started again.
func (t *talk) welcomed(m wire.Welcome) {
	back := !t.up
	if m.Incarnation != t.life.incarnation {
		t.life = life{incarnation: m.Incarnation, begins: true}
	}
	t.automates.Store(&m.Automation)
	t.up, t.why = true, ""
	if back {
		t.log.Info("a node answers", "node", t.node, "build", m.Build, "incarnation", m.Incarnation)
		t.figures.answering.Add(1)
		t.answers.Store(true)
		t.figures.answered.Store(true)
		t.tellLevel()
	}
	t.step(replica.Received{Message: m})
}

func outcomeOf(m wire.Reply) outcome {
	if m.Error == nil {
		return outcome{result: m.Result}
	}
	if m.Error.Code != 0 {
		return outcome{err: registry.PageError{Code: m.Error.Code, Text: m.Error.Message}}
	}
	return outcome{err: m.Error}
}

// step gives the mirror an event, and carries out what comes of it.
func (t *talk) step(e replica.MirrorEvent) {
	effects := t.mirror.Step(e)
	if why := t.mirror.Refused(); why != "" && t.up {
		t.loses(errors.New("it is refused: " + why))
	}
	taken := t.confirms(effects)
	for _, effect := range effects {
		switch effect := effect.(type) {
		case replica.Ask:
			switch effect.Message.(type) {
			case wire.Got:
				if taken != nil {
					continue
				}
			case wire.Hello:
				if t.up {
					t.loses(errors.New("it had lost this gateway, or didn't answer"))
				}
			}
			t.send(effect.Message)
		case replica.LeftOut:
			t.log.Warn("something that a node tells is not heeded", "node", t.node, "page", effect.Page, "why",
				effect.Why)
		case replica.Content:
			t.house.box.Must(content{t.node, effect, taken})
			if t.life.begins {
				t.life.begins = false
				t.house.box.Must(departs{node: t.node})
			}
		case replica.Arm:
			time.AfterFunc(effect.After, func() { t.box.Must(due{replica.BoundDue{Seq: effect.Seq}}) })
		}
	}
}

// begin sends a request to the node.
func (t *talk) begin(f *flight) {
	switch {
	case !t.up:
		f.reply <- outcome{err: fmt.Errorf("the node %s is not connected: %s", t.node, cmp.Or(t.why, "it was lost"))}
		return
	case t.life.leaving != "" && f.kind == wire.OpenTab:
		f.reply <- outcome{err: fmt.Errorf("the node %s is leaving (%s), and opens no tabs any more", t.node,
			t.life.leaving)}
		return
	}
	raw, err := json.Marshal(f.body)
	if err != nil {
		f.reply <- outcome{err: err}
		return
	}
	t.last++
	f.id = t.last
	if err := t.link.Send(t.peer, wire.Request{ID: f.id, Kind: f.kind, Body: raw, Trace: f.trace}); err != nil {
		f.reply <- outcome{err: fmt.Errorf("the node %s can't be told: %w", t.node, err)}
		return
	}
	t.flights[f.id] = f
	t.load.count(f, 1)
}

func (t *talk) end(f *flight, o outcome) {
	delete(t.flights, f.id)
	t.load.count(f, -1)
	f.reply <- o
}

// loses ends what is under way: its replies may never come. The mirror decides how long the
// node's pages stay.
func (t *talk) loses(why error) {
	if t.up {
		t.figures.answering.Add(-1)
		t.answers.Store(false)
		if t.life.leaving == "" {
			t.figures.lost.Add(1)
		}
		t.log.Warn("a node was lost", "node", t.node, "why", why, "requests under way", len(t.flights))
	}
	t.up, t.why = false, "it was lost: "+why.Error()
	for id, f := range t.flights {
		t.end(f, outcome{lost: why.Error(), err: fmt.Errorf("the node %s was lost: %w", t.node, why)})
		t.send(wire.Cancel{ID: id, Why: "the gateway had lost the node"})
	}
	for id, withdraw := range t.asked {
		delete(t.asked, id)
		withdraw(fmt.Errorf("the node %s was lost", t.node))
	}
}
