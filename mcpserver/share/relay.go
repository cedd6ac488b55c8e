package share

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/internal/jsonrpc"
)

// maxOwnerLine is the longest message in bytes that an owner may send. The owner's own limits are far below.
const maxOwnerLine = 512 << 20

// relay passes messages between a client and whoever owns the hub.
type relay struct {
	o        Options
	log      func(msg string, args ...any)
	client   clientSide
	liveness liveness
	handoff  handoff // what the owner left

	mu     sync.Mutex // guards the fields below; nothing blocks under it
	memory *memory

	current *link         // the owner's link; nil between two owners
	link    *link         // current, once the owner knows the client; nil before
	hasLink chan struct{} // closed when link is set
	joined  chan struct{} // receives when there is another current link
	hangs   bool          // the link that is ending has an owner that didn't answer
}

// clientSide is the connection to the client.
type clientSide struct {
	mu      sync.Mutex // held while a message is written to the client
	out     io.Writer
	left    chan struct{} // closed when the client's input has ended
	leftErr error         // why, unless it simply ended; set before left is closed
}

// liveness is what is known about how an owner answers.
type liveness struct {
	asking     chan struct{} // receives when a request is passed on
	received   atomic.Uint64 // number of messages from the owner
	delivering atomic.Bool   // a message is being written to the client
}

func newRelay(o Options, out io.Writer) *relay {
	r := &relay{
		o: o, log: o.Logger.Info,
		client:   clientSide{out: out, left: make(chan struct{})},
		liveness: liveness{asking: make(chan struct{}, 1)},
		memory:   newMemory(),
		hasLink:  make(chan struct{}), joined: make(chan struct{}, 1),
	}
	r.o.place = r.handoff.stands
	return r
}

// run serves the client of a guest, and goes on when this process gets another role.
func (r *relay) run(ctx context.Context, s role, taken *TakenError, in io.Reader) error {
	looking, stop := context.WithCancel(ctx) // ends when the client has gone: no other owner is looked for then
	defer stop()
	go func() {
		defer stop()
		r.read(looking, in)
	}()
	go r.passChanges(looking)
	defer r.handoff.end()
	for {
		var err error
		if taken != nil {
			r.cannotJoin(taken)
			if s, err = r.standIn(ctx, looking, taken); err != nil || r.over(ctx) {
				s.leave()
				return r.ending(ctx, err)
			}
		}
		if s.guest == nil {
			r.log("this process takes its place")
			return r.own(ctx, s)
		}
		pid := s.guest.pid
		r.o.lacks = s.guest.rules
		r.log("joined the webmcp-hub that has this Chrome", "process", pid)
		if err = r.pass(ctx, s.guest); err != nil || r.over(ctx) {
			return r.ending(ctx, err)
		}
		if r.hung() {
			r.log("the webmcp-hub that this one had joined doesn't answer", "process", pid)
			if r.o.ManyHubs { // this process can do without the owner
				return r.own(ctx, role{})
			}
			if taken = r.o.silent(); taken != nil {
				continue
			}
		} else {
			r.log("the webmcp-hub that this one had joined has ended")
		}
		if s, err = r.o.takeRole(looking); r.over(ctx) {
			s.leave()
			return r.ending(ctx, nil)
		}
		if taken = nil; err != nil && (!errors.As(err, &taken) || !r.o.standsIn(in)) {
			return err
		}
	}
}

// signal puts a token into a channel that has room for one, unless it holds one already.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// hung reports whether the link ended because its owner doesn't answer.
func (r *relay) hung() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hangs
}

// own serves the client with a hub of this process's own.
func (r *relay) own(ctx context.Context, s role) error {
	if len(r.o.lacks) > 0 {
		r.o.Logger.Warn("the hub before had rules, which no longer hold for any client: " + strings.Join(r.o.lacks, "; "))
	}
	h, err := openHost(ctx, r.o, s, r.handoff.take(s.unlock != nil))
	if err != nil {
		return err
	}
	if err = r.pass(ctx, linkToOwn(h.ctx, h.hub)); err == nil && !r.over(ctx) {
		err = errSessionEnded
	}
	h.close(ctx)
	return r.ending(ctx, err)
}

var errSessionEnded = errors.New("the client's session ended before the client did; the log says more")

func (r *relay) over(ctx context.Context) bool {
	select {
	case <-r.client.left:
		return true
	default:
		return ctx.Err() != nil
	}
}

// ending returns the error that run returns.
func (r *relay) ending(ctx context.Context, err error) error {
	select {
	case <-r.client.left:
		err = errors.Join(err, r.client.leftErr)
	default:
	}
	if ctx.Err() != nil {
		return nil // being told to stop is no error
	}
	return err
}

// read passes on the client's messages.
func (r *relay) read(ctx context.Context, in io.Reader) {
	defer close(r.client.left)
	defer r.handoff.end() // before the owner hears that the client has gone
	messages := jsonrpc.NewLineReader(in, r.o.MaxLine)
	for {
		line, err := messages.Next()
		switch {
		case err == jsonrpc.ErrLineTooLong:
			what := fmt.Sprintf("the message is longer than %d bytes and was skipped", r.o.MaxLine)
			_ = r.tell(refusal("null", jsonrpc.CodeParse, what))
		case err == io.EOF:
			return
		case err != nil:
			r.client.leftErr = err
			return
		case !r.send(ctx, line):
			return
		}
	}
}

// send passes on one message, as soon as there is an owner.
func (r *relay) send(ctx context.Context, line []byte) bool {
	for {
		r.mu.Lock()
		if l := r.link; l != nil {
			pass := r.memory.fromClient(line)
			r.mu.Unlock()
			if pass {
				_, _ = l.out.Write(append(escaped(line), '\n')) // if it fails, the owner's answers end, too
				signal(r.liveness.asking)
			}
			return true
		}
		hasLink := r.hasLink
		r.mu.Unlock()
		select {
		case <-hasLink:
		case <-ctx.Done():
			return false
		}
	}
}

// pass passes messages until the owner ends the connection, which it also does when the client has gone. The error is
// about the client's side.
func (r *relay) pass(ctx context.Context, l *link) error {
	r.mu.Lock()
	r.current, r.hangs = l, false
	r.mu.Unlock()
	signal(r.joined)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if l.pid != 0 {
		go r.watch(watching, l)
	}
	go r.introduce(l)
	err := r.await(ctx, func() error { return r.pump(l) }, l.closeOut)

	r.mu.Lock()
	if r.link != nil {
		r.hasLink = make(chan struct{})
	}
	r.current, r.link = nil, nil
	why := lostText
	if r.hangs {
		why = fmt.Sprintf(hangsText, l.pid, l.pid, l.pid)
	}
	lost := r.memory.lost(why)
	r.mu.Unlock()
	l.close()
	if err != nil || r.over(ctx) {
		return err
	}
	return r.await(ctx, func() error { return r.tell(lost...) }, func() {})
}

// introduce introduces the client to an owner, if the client had another owner before.
func (r *relay) introduce(l *link) {
	r.mu.Lock()
	replay := r.memory.replay()
	r.mu.Unlock()
	if l.files != nil {
		_, _ = l.out.Write([]byte(wantFiles + "\n"))
	}
	for _, line := range replay {
		if _, err := l.out.Write(append(line, '\n')); err != nil {
			return // the owner has ended, which pump notices
		}
	}
	r.mu.Lock()
	if r.current != l {
		r.mu.Unlock()
		return
	}
	r.link = l
	close(r.hasLink)
	var changed [][]byte
	if len(replay) > 0 {
		changed = r.memory.changed()
	}
	r.mu.Unlock()
	_ = r.tell(changed...)
}

// pump passes on the owner's messages until the owner ends.
func (r *relay) pump(l *link) error {
	in := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, err := wholeLine(in)
		if err == errNotALine {
			return err
		}
		if err != nil {
			return nil
		}
		r.liveness.received.Add(1)
		if line[0] == '#' {
			r.ownerLine(l, line[:len(line)-1])
			continue
		}
		r.mu.Lock()
		pass := r.memory.fromOwner(line)
		r.mu.Unlock()
		if pass {
			r.liveness.delivering.Store(true)
			err := r.tell(line[:len(line)-1])
			r.liveness.delivering.Store(false)
			if err != nil {
				return err
			}
		}
	}
}

var errNotALine = fmt.Errorf("the webmcp-hub that this one joined sent more than %d bytes without a line break",
	maxOwnerLine)

// wholeLine reads a line with its line break. An incomplete line, which an owner that was killed may leave, is an
// error.
func wholeLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err != bufio.ErrBufferFull:
			return line, err
		case len(line) > maxOwnerLine:
			return nil, errNotALine
		}
	}
}

// tell writes messages to the client.
func (r *relay) tell(messages ...[]byte) error {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	for _, m := range messages {
		if _, err := r.client.out.Write(append(m, '\n')); err != nil {
			return fmt.Errorf("writing to the client: %w", err)
		}
	}
	return nil
}

// await calls do, which a client that doesn't read may block. When the client has gone, or ctx has ended, await calls
// hurry and then waits no longer than grace.
func (r *relay) await(ctx context.Context, do func() error, hurry func()) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-r.client.left:
	case <-ctx.Done():
	}
	hurry()
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return nil
	}
}
