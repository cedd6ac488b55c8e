package extlink

import (
	"context"
	"fmt"
	"log/slog"
)

// Link is a wire with its dialect. A [Conn] is made of it.
type Link interface {
	Wire
	Dialect
}

// Wire carries messages as bytes. Read and Write are each called by one goroutine.
type Wire interface {
	// Read waits for the next message.
	Read() ([]byte, error)
	// Write sends one message.
	Write(msg []byte) error
	// Part tells the peer that the hub leaves. Read goes on until the peer has left, too. No Write follows.
	Part(code int, reason string)
	// Close ends everything at once, including a running Read or Write.
	Close() error
}

// ErrMessageTooLarge is [Wire.Read]'s error for a message over [MaxMessage]; the next one can be read.
var ErrMessageTooLarge = fmt.Errorf("a message over %d MiB", MaxMessage>>20)

// Dialect turns what a kind of peer says into a [Message], and an [Order] into what the peer understands.
type Dialect interface {
	// Peer returns the kind of peer.
	Peer() Peer
	// Hear handles what the peer has said. Only the connection's reader calls it.
	Hear(raw []byte, l *Line)
	// Tell sends an order to the peer, or answers it in the peer's place. It returns an error for an order that can't
	// be sent. It may be called from any goroutine and must not wait.
	Tell(o Order, l *Line) error
}

// Line is a connection as its dialect uses it while the dialect handles a message.
type Line struct {
	conn *Conn
	cost int // of the next delivered message
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
		l.cost = messageCost // the peer's message is counted once
	}
}

// Send queues a message for the peer. It doesn't wait.
func (l *Line) Send(msg []byte) {
	if !l.conn.out.Push(msg) {
		l.conn.end(errDeaf, ClosePolicy, "not reading")
		_ = l.conn.link.Close()
	}
}

// Ignored logs that a message of the peer is ignored, and why, at a limited rate. It is for Hear only.
func (l *Line) Ignored(level slog.Level, why string, args ...any) {
	if unsaid, ok := l.conn.logLimit.Allow(); ok {
		l.conn.log.Log(context.Background(), level, "what "+l.conn.link.Peer().Called+" said is ignored",
			append(args, "why", why, "unsaid", unsaid)...)
	}
}

// ExtensionDialect is the dialect of the hub's own extension: [Decode] and [Encode].
type ExtensionDialect struct{}

// Peer returns [Extension].
func (ExtensionDialect) Peer() Peer { return Extension }

// Hear decodes what the extension said, and answers a [Ping].
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

// Tell encodes the order and sends it.
func (ExtensionDialect) Tell(o Order, l *Line) error {
	msg, err := Encode(o)
	if err == nil {
		l.Send(msg)
	}
	return err
}
