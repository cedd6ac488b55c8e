package storm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/bench/storm/hubs"
)

// manner is how a client behaves.
type manner int

const (
	reader manner = iota // lists at each list_changed, one list at a time
	slow                 // the same, but reads SlowRate bytes a second until released
	deaf                 // lists as readers do until deafened, then reads nothing until released
	idle                 // reads, and lists when asked to
)

var hashSeed = maphash.MakeSeed()

const (
	helloLine       = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"storm","version":"1"}}}` + "\n"
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	changedHead     = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"`
)

// client is one MCP client on pipes. One goroutine of its own reads; any may
// send.
type client struct {
	manner manner
	hubs.Ends
	seen  func(list []byte, at time.Time) // called with every list, or nil
	free  chan struct{}                   // closed by release: read and list as others do
	hello chan struct{}                   // closed when initialize is answered
	ended chan struct{}
	err   error // why reading ended; set before ended is closed

	shut   atomic.Bool // a deaf client has stopped reading
	counts counts

	write sync.Mutex // one line after the other

	mu      sync.Mutex
	id      int
	waiting map[int]func(line []byte, at time.Time)
	list    lastList
	touched time.Time // when anything last came
}

// counts are what a client has read so far.
type counts struct{ notices, lists, listBytes atomic.Int64 }

// lastList is the last list that a client has read, and whether it asks for another.
type lastList struct {
	pending bool      // a list is asked for
	again   bool      // changed while one was asked for
	line    []byte    // the last list
	hash    uint64    // of line
	since   time.Time // when the first list that was the same since came
}

// take keeps a list that has come.
func (l *lastList) take(line []byte, at time.Time) {
	_, result, _ := bytes.Cut(line, []byte(`"result":`))
	if hash := maphash.Bytes(hashSeed, result); hash != l.hash || l.since.IsZero() {
		l.hash, l.since = hash, at
		l.line = append(l.line[:0], line...)
	}
}

func newClient(m manner, e hubs.Ends, seen func([]byte, time.Time)) *client {
	c := &client{manner: m, Ends: e, seen: seen, free: make(chan struct{}), hello: make(chan struct{}),
		ended:   make(chan struct{}),
		waiting: map[int]func([]byte, time.Time){}}
	go func() {
		defer close(c.ended)
		c.err = c.read()
	}()
	return c
}

// greet initializes the session.
func (c *client) greet() error {
	if err := c.send([]byte(helloLine)); err != nil {
		return err
	}
	select {
	case <-c.hello:
	case <-c.ended:
		return fmt.Errorf("the hub hung up before it answered initialize: %w", c.err)
	case <-time.After(patience):
		return fmt.Errorf("initialize was not answered in %v", patience)
	}
	if err := c.send([]byte(initializedLine)); err != nil {
		return err
	}
	if c.manner != idle {
		c.askForList()
	}
	return nil
}

// deafLists is how many lists a deaf client asks for as it stops reading: more
// than pipe and buffers hold, so that the hub's writer is stuck in them.
const deafLists = 32

// deafen makes a deaf client stop reading, with answers on their way to it.
func (c *client) deafen() error {
	c.shut.Store(true)
	for range deafLists {
		if err := c.request("tools/list", "{}", c.listed); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) send(line []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.In.Write(line); err != nil {
		return fmt.Errorf("writing to the hub: %w", err)
	}
	return nil
}

// request sends a request; answered is called by the reading goroutine, with
// memory that is its own for the time of the call.
func (c *client) request(method, params string, answered func(line []byte, at time.Time)) error {
	c.mu.Lock()
	c.id++
	id := c.id
	c.waiting[id] = answered
	c.mu.Unlock()
	return c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params))
}

// echo calls a tool by the hub. See [callee].
func (c *client) echo(tool, text string, answered answerFunc) error {
	return c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"text":%q}}`, tool, text),
		func(line []byte, at time.Time) {
			right := bytes.Contains(line, []byte(`"text":"`+text+`"`)) &&
				!bytes.Contains(line, []byte(`"isError":true`))
			answered(right, line, at)
		})
}

func (c *client) gone() <-chan struct{} { return c.ended }

// askForList asks for the list, or once more when the one asked for is there.
func (c *client) askForList() {
	c.mu.Lock()
	if c.list.pending {
		c.list.again = true
		c.mu.Unlock()
		return
	}
	c.list.pending = true
	c.mu.Unlock()
	_ = c.request("tools/list", "{}", c.listed) // the reader sees the failure too
}

func (c *client) listed(line []byte, at time.Time) {
	if c.seen != nil {
		c.seen(line, at)
	}
	c.counts.lists.Add(1)
	c.counts.listBytes.Add(int64(len(line)))
	c.mu.Lock()
	c.list.take(line, at)
	again := c.list.again
	c.list.pending, c.list.again = false, false
	c.mu.Unlock()
	if again {
		c.askForList()
	}
}

// release makes a client behave, whose manner was bad.
func (c *client) release() {
	if !c.released() {
		close(c.free)
	}
}

func (c *client) released() bool {
	select {
	case <-c.free:
		return true
	default:
		return false
	}
}

// resting says since when nothing has come and nothing is asked for; false if
// something is.
func (c *client) resting() (since time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.touched, !c.list.pending && !c.list.again
}

// last gives the last list, and when the first one that was the same came.
func (c *client) last() (line []byte, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.list.line), c.list.since
}

// lastSince is last without the list, zero if there is none.
func (c *client) lastSince() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list.since
}

// ask lists once, and waits for the answer.
func (c *client) ask() error {
	done := make(chan struct{})
	if err := c.request("tools/list", "{}", func(line []byte, at time.Time) {
		c.listed(line, at)
		close(done)
	}); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-c.ended:
		return fmt.Errorf("the hub hung up: %w", c.err)
	case <-time.After(patience):
		return fmt.Errorf("tools/list was not answered in %v", patience)
	}
}

// end closes the session as clients do.
func (c *client) end() {
	c.release()
	c.In.Close()
	<-c.ended
	c.Out.Close()
}

// read is the client's own goroutine.
func (c *client) read() error {
	var from io.Reader = c.Out
	if c.manner == slow {
		from = throttled{c}
	}
	r := bufio.NewReaderSize(from, 256<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return fmt.Errorf("reading from the hub: %w", err)
		}
		if c.shut.Load() {
			<-c.free
		}
		c.receive(line, time.Now())
		line = line[:0]
	}
}

func (c *client) receive(line []byte, at time.Time) {
	c.mu.Lock()
	c.touched = at
	c.mu.Unlock()
	if bytes.HasPrefix(line, []byte(changedHead)) {
		c.counts.notices.Add(1)
		if c.manner != idle {
			c.askForList()
		}
		return
	}
	id, ok := responseID(line)
	switch {
	case !ok:
	case id == 0:
		close(c.hello)
	default:
		c.mu.Lock()
		answered := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if answered != nil {
			answered(line, at)
		}
	}
}

// responseID finds the id of a response, whichever place it has.
func responseID(line []byte) (int, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return 0, false
	}
	digits, _, _ := bytes.Cut(rest, []byte(","))
	id, err := strconv.Atoi(string(digits))
	return id, err == nil
}

// throttled reads a client's pipe slowly until it is released.
type throttled struct{ c *client }

func (t throttled) Read(p []byte) (int, error) {
	if t.c.released() {
		return t.c.Out.Read(p)
	}
	n, err := t.c.Out.Read(p[:min(len(p), 4096)])
	select {
	case <-time.After(time.Duration(n) * time.Second / SlowRate):
	case <-t.c.free:
	}
	return n, err
}
