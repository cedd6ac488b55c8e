package extlink

import (
	"context"
	"fmt"
	"log/slog"
)

// Link is a wire with its dialect, from which a [Conn] is made.
type Link interface {
	Wire
	Dialect
}

// Wire carries messages as bytes. One goroutine calls Read, and one calls Write.
type Wire interface {
	// Read waits for the next message.
	Read() ([]byte, error)
	// Write sends one message.
	Write(msg []byte) error
	// Part tells the peer that the hub leaves. Read still works until the peer has left, too. No Write may follow.
	Part(code int, reason string)
	// Close ends everything at once, including a Read or Write that is running.
	Close() error
}

// ErrMessageTooLarge is [Wire.Read]'s error for a message over [MaxMessage]. The next message can still be read.
var ErrMessageTooLarge = fmt.Errorf("a message over %d MiB", MaxMessage>>20)

// Dialect decodes the messages of a kind of peer to a [Message], and encodes an [Order] for that kind of peer.
type Dialect interface {
	// Peer returns the kind of peer.
	Peer() Peer
	// Hear handles a message of the peer. Only the connection's reader calls it.
	Hear(raw []byte, l *Line)
	// Tell sends an order to the peer, or answers the order instead of the peer. It returns an error if the order
	// can't be sent. Any goroutine may call Tell. Tell must not wait.
	Tell(o Order, l *Line) error
}

// Line is the part of a connection that its dialect uses while it handles a message.
type Line struct {
	conn *Conn
	cost int // the cost of the next delivered message
}

// Deliver passes a message on to the hub. After the end of the connection it does nothing.
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
		l.cost = messageCost // the length of the peer's message counts once
	}
}

// Send queues a message for the peer. It doesn't wait.
func (l *Line) Send(msg []byte) {
	if !l.conn.out.Push(msg) {
		l.conn.end(errDeaf, ClosePolicy, "not reading")
		_ = l.conn.link.Close()
	}
}

// Ignored logs that a message of the peer is ignored, and why, at a limited rate. Only Hear may call it.
func (l *Line) Ignored(level slog.Level, why string, args ...any) {
	if unsaid, ok := l.conn.logLimit.Allow(); ok {
		l.conn.log.Log(context.Background(), level, "a message of "+l.conn.link.Peer().Called+" is ignored",
			append(args, "why", why, "unsaid", unsaid)...)
	}
}

// ExtensionDialect is the dialect of the hub's own extension; see [Decode] and [Encode].
type ExtensionDialect struct{}

// Peer returns [Extension].
func (ExtensionDialect) Peer() Peer { return Extension }

// Hear decodes and delivers a message of the extension, and answers a [Ping].
func (ExtensionDialect) Hear(raw []byte, l *Line) {
	m, err := Decode(raw)
	if err != nil {
		l.Ignored(slog.LevelWarn, err.Error())
		return
	}
	switch m := m.(type) {
	case Ping:
		l.Send(pong)
		return
	case ToolsChanged:
		m.logMalformed(l)
	case TabFocused:
		m.logMalformed(l)
	}
	l.Deliver(m)
}

var pong, _ = Encode(Pong{})

func (m ToolsChanged) logMalformed(l *Line) {
	for _, why := range m.Malformed {
		l.Ignored(slog.LevelWarn, why)
	}
}

// Tell encodes an order and sends it.
func (ExtensionDialect) Tell(o Order, l *Line) error {
	msg, err := Encode(o)
	if err == nil {
		l.Send(msg)
	}
	return err
}
