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
	// MaxMessage is how many bytes a message may have. Longer messages are ignored.
	MaxMessage = 16 << 20
	// MaxUnhandled is how many bytes a connection reads ahead of those that its owner has handled.
	MaxUnhandled = 4 << 20

	// closeGrace is how long a connection that ends waits for its peer.
	closeGrace = time.Second
	// maxOutbox limits the bytes that wait to be sent. The extension reads all the time, so a backlog of this size
	// means that the extension has stopped.
	maxOutbox = 64 << 20
	// messageCost is what a message costs, in bytes, in addition to its length.
	messageCost = 256
)

// These are the codes with which the hub closes connections.
const (
	CloseNormal     = 1000
	CloseGoingAway  = 1001
	ClosePolicy     = 1008 // the peer violates the protocol
	CloseWrongToken = 4401
	CloseReplaced   = 4409 // by a newer connection of the same browser
	CloseOutdated   = 4426 // the peer uses an old protocol
)

// Closed is the last message of a connection. Err says why the connection ended.
type Closed struct{ Err error }

func (Closed) message() {}

// Inbox receives a connection's messages. Each message has a cost in bytes. When the owner has handled the message, it
// reports the cost to [Conn.Handled].
type Inbox func(m Message, cost int)

// Conn is a connection to a peer.
type Conn struct {
	link     Link
	in       Inbox
	log      *slog.Logger
	out      *socket.Outbox
	silence  *time.Timer
	limit    time.Duration // how long the peer may be silent
	done     chan struct{}
	logLimit loglimit.Limit // limits logs of ignored messages; belongs to the reader

	delivering sync.Mutex // held during calls of in

	mu        sync.Mutex
	handled   sync.Cond
	unhandled int
	ending    *ending // nil until the connection ends
}

// ending says why a connection ended, and with which code and reason the hub closes it.
type ending struct {
	cause  error
	code   int
	reason string
}

var (
	errClosedHere = errors.New("closed by the hub")
	errSilent     = fmt.Errorf("it sent nothing for %v", Silence)
	errDeaf       = fmt.Errorf("it has stopped reading: %d MiB of messages are waiting", maxOutbox>>20)
)

// NewConn starts a connection over l, which it owns from then on. It sends the greeting before it reads from l. in
// receives the peer's messages, and finally [Closed].
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

// Send sends an order to the peer, and returns at once. After the end of the connection it does nothing.
func (c *Conn) Send(o Order) {
	if err := c.link.Tell(o, &Line{c, messageCost}); err != nil {
		c.log.Error("an order could not be written", "order", o.kind(), "err", err)
	}
}

// Handled reports that the owner has handled messages of this total cost.
func (c *Conn) Handled(cost int) {
	c.mu.Lock()
	c.unhandled -= cost
	if c.unhandled < MaxUnhandled {
		c.handled.Signal()
	}
	c.mu.Unlock()
}

// Close ends the connection after the messages that were sent, and sends the peer the reason. It doesn't wait. From
// then on the inbox receives only [Closed].
func (c *Conn) Close(code int, reason string) { c.end(errClosedHere, code, reason) }

// Done returns a channel that is closed when the connection and its goroutines have ended, after the last message.
func (c *Conn) Done() <-chan struct{} { return c.done }

// end begins the end of the connection. Only the first call counts.
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
	// If the peer doesn't close its side in time, the link is closed.
	grace := time.AfterFunc(closeGrace, func() { _ = c.link.Close() })
	go func() {
		<-c.done
		grace.Stop()
	}()
}

// ended returns how the connection ended, or nil if it hasn't.
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
	c.delivering.Lock() // after a message that a call of Send may be delivering
	c.in(Closed{c.ended().cause}, 0)
	c.delivering.Unlock()
	close(c.done)
}

func hungUp(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the extension closed the connection")
	}
	return fmt.Errorf("read from the extension: %w", err)
}

// room waits until the owner has handled enough for one more message. It returns false if the connection has ended.
func (c *Conn) room() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.unhandled >= MaxUnhandled && c.ending == nil {
		c.handled.Wait()
	}
	return c.ending == nil
}

// drain reads until the peer has closed its side, so that the peer receives the reason.
func (c *Conn) drain() {
	for {
		if _, err := c.link.Read(); err != nil && !errors.Is(err, ErrMessageTooLarge) {
			return
		}
	}
}
