package link

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cluster/wire"
	"webmcphub/internal/socket"
)

// peer is one peer's actor. It owns what this process knows of the link to it, and calls Lost. Once
// the link stands, messages go past it: senders put theirs before the stream's writer themselves,
// and its reader calls Receive. Each of these ways would otherwise have one goroutine more to wake.
type peer struct {
	link *Link
	who  Peer
	pid  *actor.PID

	// What senders look at.
	account atomic.Pointer[account]
	way     atomic.Pointer[out] // our stream, while there is a link
	// untaken is how much has been told by Link.with that the actor hasn't come to yet.
	untaken atomic.Int64

	ear ear

	// The actor's alone.
	core  core
	out   *out           // our stream; nil while there is none
	ins   map[uint64]*in // the peer's streams that haven't ended
	timer *time.Timer
	idle  *time.Timer // until it is forgotten; nil while there is a link
	over  bool        // the link is closed, or the peer forgotten
}

// account is what waits to be sent in one epoch.
type account struct {
	epoch   uint64
	waiting atomic.Int64 // bytes
	told    atomic.Int64 // messages that the actor was told to send, and hasn't handed over yet
}

// ear is held while our side is told anything of the peer. The actor says by it whose messages are
// heard: core.in, once Lost has said that those before are over.
type ear struct {
	sync.Mutex
	stream uint64 // 0 for none
	from   Peer
}

// Messages to a peer's actor, besides events.
type (
	// handed is a stream that has come, with the event that tells of it.
	handed struct {
		in *in
		came
	}
	// told is a message to send, and the account where it is counted.
	told struct {
		*account
		sending
	}
	// ticking is the timer's.
	ticking struct{ session string }
	// idled says that there has been no link for as long as a peer is kept without one.
	idled struct{}
	// finishing ends everything, and closes done.
	finishing struct{ done chan struct{} }
)

func newPeer(l *Link, who Peer, number int) *peer {
	p := &peer{link: l, who: who, ins: map[uint64]*in{}}
	p.core.opens = l.options.Self.Role != Node
	p.account.Store(&account{})
	props := actor.PropsFromFunc(p.receive, actor.WithReceiverMiddleware(p.guard))
	name := fmt.Sprintf("%s/%d", who.id(), number) // one that was forgotten may still be there for a moment
	p.pid = l.system.NewLocalPID(name)
	if _, err := l.system.Root.SpawnNamed(props, name); err != nil {
		panic(err) // each has another number
	}
	return p
}

// send is for [Link.with].
func (p *peer) send(address string, frames [][]byte) error {
	account := p.account.Load() // before way is looked at: see lose
	way := p.way.Load()
	switch {
	case way != nil:
		account = way.account
	case !p.core.opens:
		return ErrNoLink
	}
	more := size(frames)
	if now := account.waiting.Add(more); now > more && now > int64(p.link.options.Waiting) {
		account.waiting.Add(-more)
		return fmt.Errorf("%s: %w", p.who, ErrTooMuch)
	}
	if way != nil && (!p.core.opens || way.address == address && account.told.Load() == 0) {
		for _, f := range frames {
			way.box.Push(f)
		}
		return nil
	}
	account.told.Add(1)
	p.entrust(told{account, sending{frames, account.epoch, address, newSession()}})
	return nil
}

// tell may be called from any goroutine.
func (p *peer) tell(message any) { p.link.system.Root.Send(p.pid, message) }

// entrust is tell for [Link.with].
func (p *peer) entrust(message any) {
	p.untaken.Add(1)
	p.tell(message)
}

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
				p.step(panicked{p.panicked(r).Error()})
			}
		}()
		next(c, env)
	}
}

func (p *peer) panicked(r any) error {
	p.link.log.Error("a message between gateway and node led to a panic; please report this", "peer", p.who.String(),
		"panic", r, "stack", string(debug.Stack()))
	return fmt.Errorf("a message of it led to a panic: %v", r)
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
	case *actor.Started:
		p.settle()
	case handed:
		p.untaken.Add(-1)
		p.ins[m.stream] = m.in
		p.step(m.came)
		close(m.in.taken)
	case told:
		p.untaken.Add(-1)
		p.told(m)
	case idled:
		if p.idle == nil {
			return
		}
		if p.link.forget(p) {
			p.finished()
			c.Stop(c.Self())
			return
		}
		p.idle = nil
		p.settle()
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

// told takes a message that isn't put before the writer by its sender: there is no link yet, or
// messages before it have gone this way, or the peer has moved.
func (p *peer) told(m told) {
	before := p.account.Load()
	p.step(m.sending)
	if now := p.account.Load(); now != before && m.account == before { // it has moved, and the message waits there
		now.waiting.Add(size(m.frames))
	}
	m.told.Add(-1)
}

func size(frames [][]byte) (bytes int64) {
	for _, f := range frames {
		bytes += int64(len(f))
	}
	return bytes
}

func (p *peer) step(e event) {
	for _, effect := range p.core.Step(e) {
		p.do(effect)
	}
	p.way.Store(p.out) // no sooner: senders would pass what was handed over by this step
	p.settle()
}

// settle has a peer be forgotten that stays without a link.
func (p *peer) settle() {
	switch linked := p.core.session != ""; {
	case linked && p.idle != nil:
		p.idle.Stop()
		p.idle = nil
	case !linked && p.idle == nil:
		p.idle = time.AfterFunc(p.link.options.idle, func() { p.tell(idled{}) })
	}
}

func (p *peer) do(e effect) {
	switch e := e.(type) {
	case dial:
		p.out = &out{peer: p, account: p.account.Load(), session: e.session, address: e.address,
			box: socket.NewOutbox(math.MaxInt)}
		p.out.start()
	case hand:
		for _, f := range e.frames {
			p.out.box.Push(f)
		}
	case listen:
		p.listen(e.stream)
	case hangUp:
		p.way.Store(nil)
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

// listen has the messages of one stream heard, 0 for none, and of no other.
func (p *peer) listen(stream uint64) {
	p.ear.Lock()
	defer p.ear.Unlock()
	p.ear.stream, p.ear.from = stream, p.known()
}

// hear has our side receive a message, unless its stream is over. It is called by the stream's
// reader.
func (p *peer) hear(i *in, raw []byte) (err error) {
	i.busy.Store(true)
	defer func() {
		if r := recover(); r != nil {
			err = p.panicked(r)
		}
		i.heard.Store(true)
		i.busy.Store(false)
	}()
	m, err := p.link.decode(raw)
	switch {
	case errors.Is(err, wire.ErrUnknownKind):
		p.link.log.Debug("a message was passed over", "peer", p.who.String(), "error", err)
		return nil
	case err != nil:
		return violation{err}
	}
	p.ear.Lock()
	defer p.ear.Unlock()
	if p.ear.stream == i.id {
		p.link.options.Receive(p.ear.from, m)
	}
	return nil
}

// hearing tells our side that a part of a message has come.
func (p *peer) hearing(i *in) {
	if p.link.options.Hearing == nil {
		return
	}
	p.ear.Lock()
	defer p.ear.Unlock()
	if p.ear.stream == i.id {
		p.link.options.Hearing(p.ear.from)
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
	p.account.Store(&account{epoch: p.core.epoch})
	p.link.log.Info("the link was lost", "peer", p.who.String(), "why", why)
	p.ear.Lock()
	defer p.ear.Unlock()
	p.ear.stream = 0
	p.link.options.Lost(p.known(), errors.New(why))
}

func (p *peer) finished() {
	p.over = true
	p.listen(0)
	if p.idle != nil {
		p.idle.Stop()
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.out != nil {
		p.out.finish()
	}
}
