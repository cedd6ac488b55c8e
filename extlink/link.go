package extlink

import (
	"context"
	"fmt"
	"log/slog"
)

// Link is a wire and what is spoken on it: what a [Conn] is made of.
type Link interface {
	Wire
	Dialect
}

// Wire carries what is said, as bytes. Read and Write are each called by one
// goroutine.
type Wire interface {
	// Read waits for the next message.
	Read() ([]byte, error)
	// Write sends one message.
	Write(msg []byte) error
	// Part tells the peer that the hub leaves. Read goes on until the peer
	// has left, too. It follows all Writes.
	Part(code int, reason string)
	// Close ends everything at once, also a Read or Write under way.
	Close() error
}

// ErrMessageTooLarge is [Wire.Read]'s error for a message over [MaxMessage];
// the next one can be read.
var ErrMessageTooLarge = fmt.Errorf("a message over %d MiB", MaxMessage>>20)

// Dialect is how a kind of peer says what a [Message] is and is told an [Order].
type Dialect interface {
	// Peer says which kind it is.
	Peer() Peer
	// Hear takes what the peer has said. Only the connection's reader calls it.
	Hear(said []byte, l *Line)
	// Tell tells the peer an order, or answers it in the peer's place. The error
	// is that of an order that can't be said. Any goroutine may call it; it must
	// not wait.
	Tell(o Order, l *Line) error
}

// Line is a connection as its dialect sees it while that takes what was said.
type Line struct {
	conn *Conn
	cost int // of what is delivered next
}

// Deliver passes a message on to the hub. After the end it does nothing.
func (l *Line) Deliver(m Message) {
	c := l.conn
	c.delivering.Lock()
	defer c.delivering.Unlock()
	c.mu.Lock()
	over := c.ending != nil
	if !over {
		c.unhandled += l.cost
	}
	c.mu.Unlock()
	if !over {
		c.in(m, l.cost)
		l.cost = messageCost // what was said counts once
	}
}

// Send says something to the peer, behind what was said before. It doesn't wait.
func (l *Line) Send(msg []byte) {
	if !l.conn.out.Push(msg) {
		l.conn.end(errDeaf, ClosePolicy, "not reading")
		_ = l.conn.link.Close()
	}
}

// Ignored logs that something the peer said is ignored, and why, as often as is
// useful. It is for Hear only.
func (l *Line) Ignored(level slog.Level, why string, args ...any) {
	if unsaid, ok := l.conn.noise.Allow(); ok {
		l.conn.log.Log(context.Background(), level, "what "+l.conn.link.Peer().Called+" said is ignored",
			append(args, "why", why, "unsaid", unsaid)...)
	}
}

// Native is what the hub's own extension speaks: [Decode] and [Encode].
type Native struct{}

// Peer is the extension.
func (Native) Peer() Peer { return Extension }

// Hear decodes what the extension said, and answers a [Ping].
func (Native) Hear(said []byte, l *Line) {
	m, err := Decode(said)
	if err != nil {
		l.Ignored(slog.LevelWarn, err.Error())
		return
	}
	switch m := m.(type) {
	case Ping:
		l.Send(pong)
		return
	case ToolsChanged:
		m.sayMalformed(l)
	case TabFocused:
		m.sayMalformed(l)
	}
	l.Deliver(m)
}

var pong, _ = Encode(Pong{})

func (m ToolsChanged) sayMalformed(l *Line) {
	for _, why := range m.Malformed {
		l.Ignored(slog.LevelWarn, why)
	}
}

// Tell encodes the order.
func (Native) Tell(o Order, l *Line) error {
	msg, err := Encode(o)
	if err == nil {
		l.Send(msg)
	}
	return err
}
