package share

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// errStopping is why sessions end when their owner stops.
var errStopping = errors.New("the hub stops")

// host is the owner's hub, with the guests that joined it. A host without listener and lock has no guests.
type host struct {
	hub       Hub
	log       *slog.Logger
	settings  []Setting
	version   string
	checkView func(json.RawMessage) error // may be nil
	role      role

	ctx    context.Context // the context of all sessions
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup // accepting, and the guests' sessions

	mu     sync.Mutex
	guests map[net.Conn]*guest
	closed bool          // no more guests are admitted
	held   bool          // a guest that was sent away holds the hub's files
	fewer  chan struct{} // receives when a guest has gone
}

// guest is one process that has joined.
type guest struct {
	changed chan struct{} // receives when the hub's state has changed
	holds   bool          // the guest wants the hub's files; guarded by the host's lock
	given   string        // the note of the files that it was given last; guarded likewise
}

// openHost starts the hub and admits guests. Sessions end with ctx. owner is what the previous owner left.
func openHost(ctx context.Context, o Options, s role, owner Owner) (*host, error) {
	h := &host{log: o.Logger, settings: shortened(o.Settings), version: o.Version, checkView: o.CheckView, role: s,
		guests: map[net.Conn]*guest{}, fewer: make(chan struct{}, 1)}
	var err error
	owner.StateChanged = h.stateChanged
	if h.hub, err = o.Start(owner); err != nil {
		s.leave()
		return nil, err
	}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	if o.wrap != nil {
		h.role.listener = o.wrap(s.listener)
	}
	if s.listener != nil {
		h.tasks.Go(h.accept)
	}
	return h, nil
}

// close waits until the last guest has gone or ctx ends, and then stops the hub.
func (h *host) close(ctx context.Context) {
	for logged := false; ctx.Err() == nil && h.stay(); logged = true {
		if !logged {
			h.log.Info("the client has gone; others still use this hub, so it goes on until they have gone too")
		}
		select {
		case <-h.fewer:
		case <-ctx.Done():
		}
	}
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	if h.role.listener != nil {
		_ = h.role.listener.Close()
	}
	h.cancel(errStopping) // sessions end within their own grace period
	h.tasks.Wait()
	h.mu.Lock()
	held := h.held
	h.mu.Unlock()
	if held {
		h.log.Info("a webmcp-hub that had joined goes on with this one's Chrome")
	}
	h.hub.Stop(held)
	h.role.leave()
}

// stay reports whether there are guests to go on for. If not, no more guests are admitted.
func (h *host) stay() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = h.closed || len(h.guests) == 0
	return !h.closed
}

func (h *host) accept() {
	for pause := lookAgain; ; {
		conn, err := h.role.listener.Accept()
		switch {
		case err == nil:
			pause = lookAgain
			h.tasks.Go(func() { h.receive(conn) })
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		h.log.Warn("a hub that wants to join can't be let in", "err", err)
		select { // there may be too many open files
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		case <-h.ctx.Done():
			return
		}
	}
}

// receive serves one guest.
func (h *host) receive(conn net.Conn) {
	defer conn.Close()
	if err := checkPeer(conn); err != nil {
		h.log.Warn("a process was refused", "why", err)
		return
	}
	stop := context.AfterFunc(h.ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(handshake))
	in := bufio.NewReaderSize(conn, maxHello)
	var greeting hello
	if err := hear(in, &greeting); err != nil {
		h.log.Debug("a process connected and said nothing of use", "err", err)
		return
	}
	answer := welcome{hello: hello{Protocol: protocol, PID: os.Getpid(), Version: h.version}, Settings: h.settings}
	g, refused := h.admit(conn, greeting)
	if answer.Refused = refused; g == nil && refused == "" {
		return // the hub is ending: a process that hears nothing looks again
	}
	if g != nil {
		defer h.leave(conn)
	}
	if err := writeLine(conn, answer); err != nil || g == nil || greeting.Protocol != protocol || !stop() {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	h.log.Info("another webmcp-hub joined", "process", greeting.PID, "version", greeting.Version)
	err := h.serve(conn, g, greeting, in)
	h.log.Info("a webmcp-hub that had joined left", "process", greeting.PID, "err", err)
}

// serve serves a guest's client.
func (h *host) serve(conn net.Conn, g *guest, greeting hello, in *bufio.Reader) error {
	ctx, end := context.WithCancel(h.ctx)
	defer end()
	out, changes := newGuestWriter(conn), make(chan json.RawMessage, 1)
	if greeting.View != nil { // a visitor without a view takes nobody's place
		h.tasks.Go(func() { h.sendState(ctx, g, out) })
	}
	messages := &guestReader{in: in, onOwnLine: func(line []byte) {
		changed, isView := bytes.CutPrefix(line, []byte(viewPrefix))
		switch {
		case string(line) == ping:
			out.note(pong, ownLine{})
		case string(line) == wantFiles && greeting.View != nil:
			h.mu.Lock()
			g.holds = true
			h.mu.Unlock()
			h.giveFiles(g, out) // don't wait as long as for a state
		case isView && h.soundView(bytes.Clone(changed)):
			select {
			case changes <- bytes.Clone(changed):
			case <-ctx.Done():
			}
		}
	}}
	h.tasks.Go(func() { out.flushes(ctx) })
	moved := func(place json.RawMessage) {
		if soundLine(place, maxView) {
			out.note(placePrefix, ownLine{rest: place})
		}
	}
	err := h.hub.ServeGuest(ctx, Guest{greeting.View, changes, greeting.Place, moved}, messages, out)
	if greeting.View != nil && h.ctx.Err() != nil { // the hub is ending, and this guest may take its place
		_ = conn.SetWriteDeadline(time.Now().Add(lastState))
		if state := h.hub.State(); soundLine(state, maxState) {
			out.note(statePrefix, ownLine{rest: state})
			_ = out.flush() // if that fails, the guest uses what it received before
		}
	}
	return err
}

// lastState is how long a guest may take to read the state of a hub that is ending.
const lastState = time.Second

func (h *host) soundView(view json.RawMessage) bool {
	return soundLine(view, maxView) && (h.checkView == nil || h.checkView(view) == nil)
}

// giveFiles sends a guest the hub's files, if the guest wants files and has different ones.
func (h *host) giveFiles(g *guest, out *guestWriter) {
	h.mu.Lock()
	wants, given := g.holds, g.given
	h.mu.Unlock()
	files := h.hub.Files()
	switch {
	case !wants || given == string(files.Note):
	case files.sound():
		out.note(filesPrefix, ownLine{files.Note, files.Open, func() { h.gave(g, string(files.Note)) }})
	default:
		h.gave(g, "")
		out.note(filesPrefix, ownLine{rest: []byte(noFiles)})
	}
}

func (h *host) gave(g *guest, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.given = note
}

// sendState sends a guest the hub's state whenever it changes, and the hub's files.
func (h *host) sendState(ctx context.Context, g *guest, out *guestWriter) {
	var sent json.RawMessage
	for {
		select {
		case <-g.changed:
		case <-ctx.Done():
			return
		}
		h.giveFiles(g, out)
		if state := h.hub.State(); !bytes.Equal(state, sent) && soundLine(state, maxState) {
			sent = state
			out.note(statePrefix, ownLine{rest: state})
		}
		select {
		case <-time.After(statePause):
		case <-ctx.Done():
			return
		}
	}
}

// stateChanged sends the hub's state to all guests. It never blocks.
func (h *host) stateChanged() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.guests {
		signal(g.changed)
	}
}

// admit returns a guest that is let in, or why it is refused.
func (h *host) admit(conn net.Conn, greeting hello) (g *guest, refused string) {
	if greeting.View != nil && h.checkView != nil {
		if err := h.checkView(greeting.View); err != nil {
			return nil, "it can't show its hub so: " + err.Error()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed, h.ctx.Err() != nil:
		return nil, ""
	case len(h.guests) >= maxGuests:
		return nil, "too many have joined it already"
	}
	g = &guest{changed: make(chan struct{}, 1)}
	h.guests[conn] = g
	signal(g.changed)
	return g, ""
}

func (h *host) leave(conn net.Conn) {
	files := h.hub.Files()
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.guests[conn]; h.ctx.Err() != nil && g.given != "" && g.given == string(files.Note) {
		h.held = true // it has them, unless it left by itself at the same time
	}
	delete(h.guests, conn)
	signal(h.fewer)
}
