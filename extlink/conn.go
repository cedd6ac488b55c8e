package extlink

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"webmcphub/internal/outbox"
)

const (
	// Silence is how long a connection may say nothing. The extension pings
	// every 20 seconds.
	Silence = 60 * time.Second
	// MaxMessage in bytes is the longest message; longer ones are ignored.
	MaxMessage = 16 << 20
	// MaxUnhandled in bytes is how much a connection reads ahead of what its
	// owner has handled.
	MaxUnhandled = 4 << 20

	// closeGrace is how long the end of a connection waits for its peer.
	closeGrace = time.Second
	// maxOutbox bounds the bytes that wait for the wire. The extension reads its
	// end all the time; a backlog this long means that it has stopped.
	maxOutbox = 64 << 20
	// messageCost in bytes is what a message takes beside its content.
	messageCost = 256
)

// The codes with which the hub closes connections, beside the standard ones.
const (
	CloseNormal     = 1000
	CloseGoingAway  = 1001
	ClosePolicy     = 1008 // the peer doesn't keep to the protocol
	CloseWrongToken = 4401
	CloseReplaced   = 4409 // by a newer connection of the same browser
	CloseOutdated   = 4426 // the peer speaks a protocol of old
)

// ErrMessageTooLarge is [Wire.Read]'s error for a message over [MaxMessage];
// the next one can be read.
var ErrMessageTooLarge = fmt.Errorf("a message over %d MiB", MaxMessage>>20)

// Wire carries messages. Read and Write are each called by one goroutine.
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

// Closed is the last message of a connection. Err is why it ended.
type Closed struct{ Err error }

func (Closed) message() {}

// Inbox takes a connection's messages, of cost bytes each, which are to be
// given back by [Conn.Handled].
type Inbox func(m Message, cost int)

// Conn is one connection of an extension.
type Conn struct {
	wire    Wire
	in      Inbox
	log     *slog.Logger
	out     *outbox.Outbox
	silence *time.Timer
	done    chan struct{}
	noise   Noise // about bad messages

	mu        sync.Mutex
	handled   sync.Cond
	unhandled int
	closed    bool
	cause     error
	code      int
	reason    string
}

var (
	errClosedHere = errors.New("closed by the hub")
	errSilent     = fmt.Errorf("it said nothing for %v", Silence)
	errDeaf       = fmt.Errorf("it has stopped reading: %d MiB of messages are waiting", maxOutbox>>20)
)

// NewConn starts a connection over w, which it owns. in gets its messages and
// at last [Closed].
func NewConn(w Wire, log *slog.Logger, in Inbox) *Conn {
	c := &Conn{wire: w, in: in, log: log, out: outbox.New(maxOutbox), done: make(chan struct{})}
	c.handled.L = &c.mu
	c.silence = time.AfterFunc(Silence, func() { c.end(errSilent, ClosePolicy, errSilent.Error()) })
	written := make(chan struct{})
	go c.write(written)
	go c.read(written)
	return c
}

// Send queues an order and returns at once. After the end it does nothing.
func (c *Conn) Send(o Order) {
	msg, err := Encode(o)
	if err != nil {
		c.log.Error("an order could not be written", "order", o.kind(), "err", err)
		return
	}
	if !c.out.Push(msg) {
		c.end(errDeaf, ClosePolicy, "not reading")
		_ = c.wire.Close()
	}
}

// Handled says that messages of so many bytes are done with.
func (c *Conn) Handled(cost int) {
	c.mu.Lock()
	c.unhandled -= cost
	if c.unhandled < MaxUnhandled {
		c.handled.Signal()
	}
	c.mu.Unlock()
}

// Close ends the connection behind what was sent, and tells the peer why; it
// does not wait. Nothing more comes to the inbox than [Closed].
func (c *Conn) Close(code int, reason string) { c.end(errClosedHere, code, reason) }

// Done is closed when the connection has ended, its goroutines with it, and
// the inbox has got everything.
func (c *Conn) Done() <-chan struct{} { return c.done }

// end begins the end; the first cause counts.
func (c *Conn) end(cause error, code int, reason string) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed, c.cause, c.code, c.reason = true, cause, code, reason
	c.handled.Signal()
	c.mu.Unlock()
	c.silence.Stop()
	c.out.Finish()
	// A peer that doesn't leave is left.
	grace := time.AfterFunc(closeGrace, func() { _ = c.wire.Close() })
	go func() {
		<-c.done
		grace.Stop()
	}()
}

func (c *Conn) write(written chan<- struct{}) {
	defer close(written)
	for more := true; more; {
		var batch [][]byte
		batch, more = c.out.Take(nil)
		for _, msg := range batch {
			if err := c.wire.Write(msg); err != nil {
				c.end(fmt.Errorf("write to the extension: %w", err), CloseGoingAway, "")
				_ = c.wire.Close()
				return
			}
			c.out.Wrote(len(msg))
		}
	}
	c.mu.Lock()
	code, reason := c.code, c.reason
	c.mu.Unlock()
	c.wire.Part(code, reason)
}

func (c *Conn) read(written <-chan struct{}) {
	for {
		msg, err := c.wire.Read()
		if err != nil && !errors.Is(err, ErrMessageTooLarge) {
			c.end(hungUp(err), CloseNormal, "")
			break
		}
		c.silence.Reset(Silence)
		if err != nil {
			c.bad(err)
			continue
		}
		if !c.route(msg) {
			c.drain()
			break
		}
	}
	_ = c.wire.Close()
	<-written
	c.silence.Stop()
	c.mu.Lock()
	cause := c.cause
	c.mu.Unlock()
	c.in(Closed{cause}, 0)
	close(c.done)
}

func hungUp(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the extension hung up")
	}
	return fmt.Errorf("read from the extension: %w", err)
}

// route passes one message on. It reports false after the end.
func (c *Conn) route(msg []byte) bool {
	m, err := Decode(msg)
	if err != nil {
		c.bad(err)
		return !c.over()
	}
	switch m := m.(type) {
	case Ping:
		c.Send(Pong{})
		return !c.over()
	case ToolsChanged:
		c.malformedTools(m)
	case TabFocused:
		c.malformedTools(m.ToolsChanged)
	}
	cost := len(msg) + messageCost
	c.mu.Lock()
	for c.unhandled >= MaxUnhandled && !c.closed {
		c.handled.Wait()
	}
	if c.closed {
		c.mu.Unlock()
		return false
	}
	c.unhandled += cost
	c.mu.Unlock()
	c.in(m, cost)
	return true
}

func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// drain reads on until the peer has left, so that it hears why.
func (c *Conn) drain() {
	for {
		if _, err := c.wire.Read(); err != nil && !errors.Is(err, ErrMessageTooLarge) {
			return
		}
	}
}

func (c *Conn) malformedTools(m ToolsChanged) {
	for _, why := range m.Malformed {
		c.bad(errors.New(why))
	}
}

// bad logs what is ignored, as often as is useful.
func (c *Conn) bad(why error) {
	if unsaid, ok := c.noise.Allow(); ok {
		c.log.Warn("a message of the browser's extension is ignored", "why", why, "unsaid", unsaid)
	}
}
