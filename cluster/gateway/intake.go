package gateway

import (
	"fmt"
	"sync/atomic"

	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// maxUndone is how much of what a node says may wait here, in bytes as [replica.Weight] counts them: in the
// boxes of its talk, of the house and of the rooms.
const maxUndone = 64 << 20

// load is what a talk has to carry. Of what its node has said little waits while it is honest: it says more
// of its pages only when it is confirmed that the rooms have what it said before.
type load struct {
	running atomic.Int64 // flights that figures count
	undone  atomic.Int64 // bytes of what the node has said and the gateway isn't done with
	over    atomic.Bool  // too much: what the node says is dropped until its talk knows
	owed    int64        // the talk's: of the message that it handles, unless somebody else has it to do
}

type (
	// came is something that the node says.
	came struct {
		wire.Message
		weight int64
	}
	// overrun says that something was dropped, since too much waits.
	overrun struct{}
	// confirmed says that the rooms have what the node told.
	confirmed struct{ wire.Got }
)

// count counts a flight, unless it is of a live page's picture: that lasts as long as somebody looks.
func (l *load) count(f *flight, by int64) {
	if !f.kind.Watches() {
		l.running.Add(by)
	}
}

// takes puts something that the node says into the talk's box, unless too much waits. Any goroutine
// may call it.
func (t *talk) takes(m wire.Message) {
	weight := int64(replica.Weight(m))
	switch {
	case t.load.over.Load():
	case t.load.undone.Add(weight) <= maxUndone:
		t.box.Must(came{m, weight})
	default:
		t.load.undone.Add(-weight)
		if !t.load.over.Swap(true) {
			t.box.Must(overrun{})
		}
	}
}

// overran loses the node, as something that it said was dropped.
func (t *talk) overran() {
	t.load.over.Store(false)
	t.step(replica.Overrun{Why: fmt.Sprintf("more than %d MiB of what it says wait to be dealt with", maxUndone>>20)})
}

// hands gives what is owed for the message that is handled to somebody else, who calls done.
func (t *talk) hands() (done func()) {
	owed := t.load.owed
	t.load.owed = 0
	return func() { t.load.undone.Add(-owed) }
}

// confirms is what is to be done when the rooms have the content that is among effects, nil if none is:
// then the node is told so, if it is to be told, and may tell more.
func (t *talk) confirms(effects []replica.MirrorEffect) (taken func()) {
	var got *wire.Got
	content := false
	for _, effect := range effects {
		switch effect := effect.(type) {
		case replica.Content:
			content = true
		case replica.Ask:
			if m, is := effect.Message.(wire.Got); is {
				got = &m
			}
		}
	}
	if !content {
		return nil
	}
	done := t.hands()
	return func() {
		if done(); got != nil {
			t.box.Must(confirmed{*got})
		}
	}
}

// shares calls what is to be done when several have called theirs.
type shares struct {
	left atomic.Int32
	all  func()
}

func newShares(n int, all func()) *shares {
	s := &shares{all: all}
	s.left.Store(int32(n))
	return s
}

func (s *shares) done() {
	if s.left.Add(-1) == 0 {
		s.all()
	}
}

// told are events for a room that calls done when it has stepped.
type told struct {
	registry.Together
	done func()
}

// discard is for what comes when the room is over.
func (r *room) discard() {
	for _, e := range r.box.Take() {
		if t, is := e.(told); is {
			t.done()
		}
	}
}
