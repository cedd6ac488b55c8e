package share

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/mcpserver/lines"
)

// maxOwnerLine is the longest message in bytes that an owner may send. Its
// own limits are far below.
const maxOwnerLine = 512 << 20

// relay passes messages between a client and whoever owns the hub.
type relay struct {
	o   Options
	log func(msg string, args ...any)

	outMu sync.Mutex // one message at a time goes to the client
	out   io.Writer

	left    chan struct{} // closed when the client's input is over
	leftErr error         // why, if not by its end; set before left is closed

	heard      atomic.Uint64 // messages from the owner
	delivering atomic.Bool   // one is being written to the client

	mu      sync.Mutex // guards the rest; nothing blocks under it
	memory  *memory
	asking  chan struct{}   // filled when a request is passed on
	hangs   bool            // the owner of the link that ends now didn't answer
	will    json.RawMessage // of the last owner, nil if it had none
	current *link           // the owner's; nil between two owners
	link    *link           // the same once the owner knows the client
	linked  chan struct{}   // closed when there is a link
}

func newRelay(o Options, out io.Writer) *relay {
	return &relay{o: o, log: o.Logger.Info, out: out, left: make(chan struct{}), memory: newMemory(), asking: make(chan struct{}, 1), linked: make(chan struct{})}
}

// run serves the client from a guest's seat, and from those that come after it.
func (r *relay) run(ctx context.Context, s seat, taken *TakenError, in io.Reader) error {
	looking, stop := context.WithCancel(ctx) // nobody else is looked for once the client has gone
	defer stop()
	go func() {
		defer stop()
		r.read(looking, in)
	}()
	go r.passChanges(looking)
	for {
		var err error
		if taken != nil {
			if s, err = r.standIn(ctx, looking, taken); err != nil || r.over(ctx) {
				s.leave()
				return r.ending(ctx, err)
			}
		}
		if s.conn == nil {
			r.log("this process takes its place")
			return r.own(ctx, s)
		}
		r.log("joined the webmcp-hub that has this Chrome", "process", s.pid)
		pid := s.pid
		if err = r.pass(ctx, linkTo(s)); err != nil || r.over(ctx) {
			return r.ending(ctx, err)
		}
		if r.hung() {
			r.log("the webmcp-hub that this one had joined doesn't answer", "process", pid)
			if r.o.Several { // which it can do without
				return r.own(ctx, seat{})
			}
			if taken = r.o.silent(); taken != nil {
				continue
			}
		} else {
			r.log("the webmcp-hub that this one had joined has ended")
		}
		if s, err = r.o.sit(looking); r.over(ctx) {
			s.leave()
			return r.ending(ctx, nil)
		}
		if taken = nil; err != nil && (!errors.As(err, &taken) || !r.o.standsIn(in)) {
			return err
		}
	}
}

// hung says whether the link that has ended did because its owner doesn't answer.
func (r *relay) hung() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hangs
}

// passChanges tells owners that are other processes of the client's changed view.
func (r *relay) passChanges(ctx context.Context) {
	for {
		select {
		case view := <-r.o.Changes:
			r.mu.Lock()
			l := r.current
			r.mu.Unlock()
			if l != nil && l.pid != 0 { // others are told by the next hello
				_, _ = l.out.Write(append(append([]byte(viewPrefix), view...), '\n'))
			}
		case <-ctx.Done():
			return
		}
	}
}

// own serves the client by a hub of this process's own.
func (r *relay) own(ctx context.Context, s seat) error {
	r.mu.Lock()
	will := r.will
	r.mu.Unlock()
	h, err := openHost(ctx, r.o, s, will)
	if err != nil {
		return err
	}
	if err = r.pass(ctx, h.local()); err == nil && !r.over(ctx) {
		err = errSessionEnded
	}
	h.close(ctx)
	return r.ending(ctx, err)
}

var errSessionEnded = errors.New("the client's session ended before the client did; the log says more")

func (r *relay) over(ctx context.Context) bool {
	select {
	case <-r.left:
		return true
	default:
		return ctx.Err() != nil
	}
}

// ending is what run returns.
func (r *relay) ending(ctx context.Context, err error) error {
	select {
	case <-r.left:
		err = errors.Join(err, r.leftErr)
	default:
	}
	if ctx.Err() != nil {
		return nil // being told to stop is a good reason
	}
	return err
}

// read passes on the client's messages.
func (r *relay) read(ctx context.Context, in io.Reader) {
	defer close(r.left)
	messages := lines.New(in, r.o.MaxLine)
	for {
		line, err := messages.Next()
		switch {
		case err == lines.ErrTooLong:
			what := fmt.Sprintf("the message is longer than %d bytes and was skipped", r.o.MaxLine)
			_ = r.tell(refusal("null", jsonrpc.CodeParse, what))
		case err == io.EOF:
			return
		case err != nil:
			r.leftErr = err
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
				_, _ = l.out.Write(append(escaped(line), '\n')) // if it fails, the owner's answers end too
				r.asked()
			}
			return true
		}
		linked := r.linked
		r.mu.Unlock()
		select {
		case <-linked:
		case <-ctx.Done():
			return false
		}
	}
}

// pass passes messages until the owner ends the connection, which it does
// when the client has gone, too. The error is about the client's side.
func (r *relay) pass(ctx context.Context, l *link) error {
	r.mu.Lock()
	r.current, r.hangs = l, false
	r.mu.Unlock()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if l.pid != 0 {
		go r.watch(watching, l)
	}
	go r.introduce(l)
	err := r.await(ctx, func() error { return r.pump(l) }, l.closeOut)

	r.mu.Lock()
	if r.link != nil {
		r.linked = make(chan struct{})
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

// introduce lets an owner know the client, if it had another one before.
func (r *relay) introduce(l *link) {
	r.mu.Lock()
	replay := r.memory.replay()
	r.mu.Unlock()
	for _, line := range replay {
		if _, err := l.out.Write(append(line, '\n')); err != nil {
			return // it has ended, as pump finds out
		}
	}
	r.mu.Lock()
	if r.current != l {
		r.mu.Unlock()
		return
	}
	r.link = l
	close(r.linked)
	var changed [][]byte
	if len(replay) > 0 {
		changed = r.memory.changed()
	}
	r.mu.Unlock()
	_ = r.tell(changed...)
}

// pump passes on the owner's messages until it ends.
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
		r.heard.Add(1)
		if line[0] == '#' {
			r.heardOwn(line[:len(line)-1])
			continue
		}
		r.mu.Lock()
		pass := r.memory.fromOwner(line)
		r.mu.Unlock()
		if pass {
			r.delivering.Store(true)
			err := r.tell(line[:len(line)-1])
			r.delivering.Store(false)
			if err != nil {
				return err
			}
		}
	}
}

// heardOwn takes what the owner says beside its messages.
func (r *relay) heardOwn(line []byte) {
	if will, ok := bytes.CutPrefix(line, []byte(willPrefix)); ok && soundLine(will, maxWill) {
		r.mu.Lock()
		r.will = bytes.Clone(will)
		r.mu.Unlock()
		r.o.Logger.Debug("told what to go on with, should the owner end", "will", string(will))
	}
}

var errNotALine = fmt.Errorf("the webmcp-hub that this one joined sent more than %d bytes without a line break", maxOwnerLine)

// wholeLine reads a line with its break. The beginning of one, which an owner that
// was killed leaves, is none.
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
	r.outMu.Lock()
	defer r.outMu.Unlock()
	for _, m := range messages {
		if _, err := r.out.Write(append(m, '\n')); err != nil {
			return fmt.Errorf("writing to the client: %w", err)
		}
	}
	return nil
}

// await does what a client that doesn't read may hold up. Once the client has
// gone, or ctx ended, it calls hurry and waits no longer than grace.
func (r *relay) await(ctx context.Context, do func() error, hurry func()) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-r.left:
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
