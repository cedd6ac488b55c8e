package share

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// errStopping is why a session of an owner that stops ends.
var errStopping = errors.New("the hub stops")

// host is the owner's hub, with those who joined it. On its own, without
// listener and lock, it has no guests.
type host struct {
	hub      Hub
	log      *slog.Logger
	settings []Setting
	seat     seat

	ctx    context.Context // of all sessions
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup // accepting, and the guests' sessions

	mu     sync.Mutex
	guests map[net.Conn]bool
	closed bool          // no more guests
	fewer  chan struct{} // a guest has gone
}

// openHost starts the hub and lets guests in. Sessions end with ctx.
func openHost(ctx context.Context, o Options, s seat) (*host, error) {
	hub, err := o.Start()
	if err != nil {
		s.leave()
		return nil, err
	}
	h := &host{hub: hub, log: o.Logger, settings: shortened(o.Settings), seat: s, guests: map[net.Conn]bool{}, fewer: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	if s.listener != nil {
		h.tasks.Go(h.accept)
	}
	return h, nil
}

// close waits until the last guest has gone or ctx ends, and stops the hub.
func (h *host) close(ctx context.Context) {
	for told := false; ctx.Err() == nil && h.stay(); told = true {
		if !told {
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
	if h.seat.listener != nil {
		_ = h.seat.listener.Close()
	}
	h.cancel(errStopping) // sessions end within their own grace
	h.tasks.Wait()
	h.hub.Stop()
	h.seat.leave()
}

// stay says whether there are guests to go on for. If not, none is let in any more.
func (h *host) stay() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = h.closed || len(h.guests) == 0
	return !h.closed
}

func (h *host) accept() {
	for pause := lookAgain; ; {
		conn, err := h.seat.listener.Accept()
		switch {
		case err == nil:
			pause = lookAgain
			h.tasks.Go(func() { h.receive(conn) })
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		h.log.Warn("a hub that wants to join can't be let in", "err", err)
		select { // too many open files, perhaps
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
	var guest hello
	if err := hear(in, &guest); err != nil {
		h.log.Debug("a process connected and said nothing of use", "err", err)
		return
	}
	answer := welcome{hello: hello{talk, os.Getpid()}, Settings: h.settings}
	admitted, refused := h.admit(conn)
	if answer.Refused = refused; !admitted && refused == "" {
		return // it ends: whoever hears nothing looks again
	}
	if admitted {
		defer h.leave(conn)
	}
	if err := say(conn, answer); err != nil || !admitted || guest.Talk != talk || !stop() {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	h.log.Info("another webmcp-hub joined", "process", guest.PID)
	err := h.hub.ServeStdio(h.ctx, in, conn)
	h.log.Info("a webmcp-hub that had joined left", "process", guest.PID, "err", err)
}

func (h *host) admit(conn net.Conn) (ok bool, refused string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed, h.ctx.Err() != nil:
		return false, ""
	case len(h.guests) >= maxGuests:
		return false, "too many have joined it already"
	}
	h.guests[conn] = true
	return true, ""
}

func (h *host) leave(conn net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.guests, conn)
	select {
	case h.fewer <- struct{}{}:
	default:
	}
}
