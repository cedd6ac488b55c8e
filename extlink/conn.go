package extlink

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"webmcphub/internal/loglimit"
	"webmcphub/internal/socket"
)

const (
	// Silence is how long a connection may be silent. The extension pings every 20 seconds.
	Silence = 60 * time.Second
	// MaxMessage in bytes is the longest message; longer ones are ignored.
	MaxMessage = 16 << 20
	// MaxUnhandled is how many bytes a connection reads ahead of what its owner has handled.
	MaxUnhandled = 4 << 20

	// closeGrace is how long the end of a connection waits for its peer.
	closeGrace = time.Second
	// maxOutbox limits the bytes that wait for the wire. The extension reads all the time; a backlog this long means
	// that it has stopped.
	maxOutbox = 64 << 20
	// messageCost is what a message costs besides its content, in bytes.
	messageCost = 256
)

// These are the codes with which the hub closes connections, besides the standard ones.
const (
	CloseNormal     = 1000
	CloseGoingAway  = 1001
	ClosePolicy     = 1008 // the peer violates the protocol
	CloseWrongToken = 4401
	CloseReplaced   = 4409 // by a newer connection of the same browser
	CloseOutdated   = 4426 // the peer uses an old protocol
)

// Closed is the last message of a connection. Err is why it ended.
type Closed struct{ Err error }

func (Closed) message() {}

// Inbox receives a connection's messages. Each has a cost in bytes; the owner reports it to [Conn.Handled] when it is
// done with the message.
type Inbox func(m Message, cost int)

// Conn is one connection of a peer.
type Conn struct {
	link     Link
	in       Inbox
	log      *slog.Logger
	out      *socket.Outbox
	silence  *time.Timer
	limit    time.Duration // of silence
	done     chan struct{}
	logLimit loglimit.Limit // limits logging of ignored messages; belongs to the reader

	delivering sync.Mutex // held during calls of in

	mu        sync.Mutex
	handled   sync.Cond
	unhandled int
	ending    *ending // nil before the end
}

// ending says why a connection ended, and what its peer is told.
type ending struct {
	cause  error
	code   int
	reason string
}

var (
	errClosedHere = errors.New("closed by the hub")
	errSilent     = fmt.Errorf("it said nothing for %v", Silence)
	errDeaf       = fmt.Errorf("it has stopped reading: %d MiB of messages are waiting", maxOutbox>>20)
)

// NewConn starts a connection over l, which it then owns, and greets the peer before it reads from it. in gets the
// peer's messages, and finally [Closed].
func NewConn(l Link, greeting Connect, log *slog.Logger, in Inbox) *Conn {
	c := &Conn{link: l, in: in, log: log, out: socket.NewOutbox(maxOutbox), done: make(chan struct{})}
	c.handled.L = &c.mu
	c.limit = Silence
	if l.Peer().MayBeSilent {
		c.limit = math.MaxInt64
	}
	c.silence = time.AfterFunc(c.limit, func() { c.end(errSilent, ClosePolicy, errSilent.Error()) })
	c.Send(greeting)
	written := make(chan struct{})
	go c.write(written)
	go c.read(written)
	return c
}

// Send sends an order to the peer and returns at once. After the end it does nothing.
func (c *Conn) Send(o Order) {
	if err := c.link.Tell(o, &Line{c, messageCost}); err != nil {
		c.log.Error("an order could not be written", "order", o.kind(), "err", err)
	}
}

// Handled says that the owner is done with messages of this total cost.
func (c *Conn) Handled(cost int) {
	c.mu.Lock()
	c.unhandled -= cost
	if c.unhandled < MaxUnhandled {
		c.handled.Signal()
	}
	c.mu.Unlock()
}

// Close ends the connection after the messages that were sent, and tells the peer why. It does not wait. After it the
// inbox gets only [Closed].
func (c *Conn) Close(code int, reason string) { c.end(errClosedHere, code, reason) }

// Done is closed when the connection and its goroutines have ended, and the inbox has received everything.
func (c *Conn) Done() <-chan struct{} { return c.done }

// end begins the end; the first cause counts.
func (c *Conn) end(cause error, code int, reason string) {
	c.mu.Lock()
	if c.ending != nil {
		c.mu.Unlock()
		return
	}
	c.ending = &ending{cause, code, reason}
	c.handled.Signal()
	c.mu.Unlock()
	c.silence.Stop()
	c.out.Finish()
	// If the peer doesn't leave, the link is closed.
	grace := time.AfterFunc(closeGrace, func() { _ = c.link.Close() })
	go func() {
		<-c.done
		grace.Stop()
	}()
}

// ended returns nil before the end.
func (c *Conn) ended() *ending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending
}

func (c *Conn) write(written chan<- struct{}) {
	defer close(written)
	for more := true; more; {
		var batch [][]byte
		batch, more = c.out.Take(nil)
		for _, msg := range batch {
			if err := c.link.Write(msg); err != nil {
				c.end(fmt.Errorf("write to the extension: %w", err), CloseGoingAway, "")
				_ = c.link.Close()
				return
			}
			c.out.Wrote(len(msg))
		}
	}
	e := c.ended()
	c.link.Part(e.code, e.reason)
}

func (c *Conn) read(written <-chan struct{}) {
	for {
		msg, err := c.link.Read()
		if err != nil && !errors.Is(err, ErrMessageTooLarge) {
			c.end(hungUp(err), CloseNormal, "")
			break
		}
		c.silence.Reset(c.limit)
		if !c.room() {
			c.drain()
			break
		}
		line := &Line{c, len(msg) + messageCost}
		if err != nil {
			line.Ignored(slog.LevelWarn, err.Error())
			continue
		}
		c.link.Hear(msg, line)
	}
	_ = c.link.Close()
	<-written
	c.silence.Stop()
	c.delivering.Lock() // after a message that Send may be delivering
	c.in(Closed{c.ended().cause}, 0)
	c.delivering.Unlock()
	close(c.done)
}

func hungUp(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the extension hung up")
	}
	return fmt.Errorf("read from the extension: %w", err)
}

// room waits until the owner has handled enough for another message. It returns false after the end.
func (c *Conn) room() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.unhandled >= MaxUnhandled && c.ending == nil {
		c.handled.Wait()
	}
	return c.ending == nil
}

// drain reads until the peer has left, so that the peer receives the reason.
func (c *Conn) drain() {
	for {
		if _, err := c.link.Read(); err != nil && !errors.Is(err, ErrMessageTooLarge) {
			return
		}
	}
}
