package link

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cluster/wire"
	"webmcphub/internal/outbox"
)

// peer is one peer's actor. It owns what this process knows of the link to it, and calls Receive
// and Lost.
type peer struct {
	link *Link
	who  Peer
	pid  *actor.PID

	// What senders look at before they tell the actor. Both are the actor's to set.
	account atomic.Pointer[account]
	linked  atomic.Bool

	// The actor's alone.
	core  core
	out   *out           // our stream; nil while there is none
	ins   map[uint64]*in // the peer's streams that haven't ended
	timer *time.Timer
	over  bool // the link is closed
}

// account is what waits to be sent in one epoch.
type account struct {
	epoch   uint64
	waiting atomic.Int64 // bytes
}

// Messages to a peer's actor, besides events.
type (
	// handed is a stream that has come, with the event that tells of it.
	handed struct {
		in *in
		came
	}
	// arrived is a frame, with the stream that waits for it to be dealt with.
	arrived struct {
		in *in
		frame
	}
	// ticking is the timer's.
	ticking struct{ session string }
	// finishing ends everything, and closes done.
	finishing struct{ done chan struct{} }
)

func newPeer(l *Link, who Peer) *peer {
	p := &peer{link: l, who: who, ins: map[uint64]*in{}}
	p.core.opens = l.options.Self.Role == Gateway
	p.account.Store(&account{})
	props := actor.PropsFromFunc(p.receive, actor.WithReceiverMiddleware(p.guard))
	p.pid = l.system.NewLocalPID(who.id())
	if _, err := l.system.Root.SpawnNamed(props, who.id()); err != nil {
		panic(err) // there is one peer for each id
	}
	return p
}

// send may be called from any goroutine.
func (p *peer) send(address string, frames [][]byte) error {
	account := p.account.Load() // before linked is looked at: see lose
	if !p.core.opens && !p.linked.Load() {
		return ErrNoLink
	}
	size := 0
	for _, f := range frames {
		size += len(f)
	}
	if now := account.waiting.Add(int64(size)); now > int64(size) && now > int64(p.link.options.Waiting) {
		account.waiting.Add(-int64(size))
		return fmt.Errorf("%s: %w", p.who, ErrTooMuch)
	}
	p.tell(sending{frames, account.epoch, address, newSession()})
	return nil
}

// tell may be called from any goroutine.
func (p *peer) tell(message any) { p.link.system.Root.Send(p.pid, message) }

// finish waits until nothing of the peer's is told any more.
func (p *peer) finish() {
	done := make(chan struct{})
	p.tell(finishing{done})
	<-done // the actor stays: it drops what is told to it, and would be called dead otherwise
}

// guard has a panic end the link, because a message may have been lost by it.
func (p *peer) guard(next actor.ReceiverFunc) actor.ReceiverFunc {
	return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
		defer func() {
			if r := recover(); r != nil {
				p.link.log.Error("a message between gateway and node led to a panic; please report this", "peer", p.who.String(), "panic", r, "stack", string(debug.Stack()))
				p.step(unreadable{fmt.Sprint("a message of it led to a panic: ", r)})
			}
		}()
		next(c, env)
	}
}

func (p *peer) receive(c actor.Context) {
	if m, ok := c.Message().(finishing); ok {
		p.finished()
		close(m.done)
	}
	if p.over {
		return
	}
	switch m := c.Message().(type) {
	case handed:
		p.ins[m.stream] = m.in
		p.step(m.came)
	case arrived:
		defer m.in.gate.Release(int64(len(m.data)))
		p.step(m.frame)
	case ticking:
		in := p.ins[p.core.in]
		p.step(ticked{m.session, in != nil && in.alive()})
	case inEnded:
		delete(p.ins, m.stream)
		p.step(m)
	case event:
		p.step(m)
	}
}

func (p *peer) step(e event) {
	for _, effect := range p.core.Step(e) {
		p.do(effect)
	}
}

func (p *peer) do(e effect) {
	switch e := e.(type) {
	case dial:
		p.out = &out{peer: p, account: p.account.Load(), session: e.session, address: e.address, box: outbox.New(math.MaxInt)}
		p.out.start()
		p.linked.Store(true)
	case hand:
		for _, f := range e.frames {
			p.out.box.Push(f)
		}
	case deliver:
		p.deliver(e.raw)
	case hangUp:
		p.out.hangUp()
		p.out = nil
		p.timer.Stop()
	case end:
		if in := p.ins[e.stream]; in != nil { // else it has ended by itself
			in.end(e.why)
			delete(p.ins, e.stream)
		}
	case lost:
		p.lose(e.why)
	case arm:
		p.timer = time.AfterFunc(p.link.period(), func() { p.tell(ticking(e)) })
	}
}

func (p *peer) deliver(raw []byte) {
	m, err := p.link.decode(raw)
	switch {
	case errors.Is(err, wire.ErrUnknownKind):
		p.link.log.Debug("a message was passed over", "peer", p.who.String(), "error", err)
	case err != nil:
		p.step(unreadable{err.Error()})
	default:
		p.link.options.Receive(p.known(), m)
	}
}

// known is the peer with the address at which it was dialled.
func (p *peer) known() Peer {
	who := p.who
	who.Address = p.core.address
	return who
}

// lose begins another epoch: what was sent before is never sent any more.
func (p *peer) lose(why string) {
	p.linked.Store(false)
	p.account.Store(&account{epoch: p.core.epoch})
	p.link.log.Info("the link was lost", "peer", p.who.String(), "why", why)
	p.link.options.Lost(p.known(), errors.New(why))
}

func (p *peer) finished() {
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.out != nil {
		p.out.finish()
	}
}
