package grid

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

const (
	// looksAgain is the interval at which a session is checked. The check also counts as use. A Grid leaves the
	// websocket open when the browser has ended, so only the check reveals the end.
	looksAgain = 2 * time.Second
	// looksApart is the time between two checks among all sessions of a grid, so that many don't load the grid.
	looksApart = 100 * time.Millisecond
	// keptAlive is how many times a session is checked within the time for which a node lets it be idle.
	keptAlive = 3
	// maxRelease is how long a grid may take to end a session.
	maxRelease = 4 * time.Second
)

// wire is a wire to a session's browser.
type wire struct {
	cdpclient.Wire
	grid    *Grid
	session string
	close   func() error // runs once

	mu    sync.Mutex
	ended string // the grid's text about the session's end; "" before
}

func (g *Grid) newWire(w cdpclient.Wire, session string) *wire {
	s := &wire{Wire: w, grid: g, session: session}
	ctx, end := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.keepAlive(ctx)
	}()
	s.close = sync.OnceValue(func() error {
		end()
		<-over
		err := w.Close()
		g.release(session)
		return err
	})
	return s
}

// Read implements [cdpclient.Wire].
func (s *wire) Read() ([]byte, error) {
	msg, err := s.Wire.Read()
	var large *cdpclient.TooLarge
	if err == nil || errors.As(err, &large) {
		return msg, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != "" {
		return nil, cdpclient.Quit{Why: "the grid's browser has ended (" + s.ended + ")"}
	}
	return nil, cdpclient.Quit{Why: fmt.Sprintf("the grid's browser has ended, or the connection to it was lost (%v)",
		err)}
}

// Close ends the connection and the session. It takes at most some seconds.
func (s *wire) Close() error { return s.close() }

// keepAlive keeps the session in use until ctx or the session ends.
func (s *wire) keepAlive(ctx context.Context) {
	g := s.grid
	g.open.Add(1)
	defer g.open.Add(-1)
	allowed, err := g.sessionTimeout(ctx)
	if err != nil || allowed <= 0 {
		allowed = time.Hour // looksAgain is short enough then
	}
	failing := false
	for {
		every := max(looksAgain, time.Duration(g.open.Load())*looksApart)
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(every, allowed/keptAlive)):
		}
		err := g.alive(ctx, s.session)
		var refused *refusal
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &refused) && refused.Kind == invalidSession:
			s.mu.Lock()
			s.ended = refused.Message
			s.mu.Unlock()
			_ = s.Wire.Close() // makes Read return
			return
		case err != nil && !failing:
			g.options.Log.Warn("a grid doesn't say whether its browser is well; it ends sessions that it takes for unused", "grid", g.place(), "err", err)
		}
		failing = err != nil
	}
}

// release ends a session, independently of any context.
func (g *Grid) release(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), maxRelease)
	defer cancel()
	if err := g.end(ctx, session); err != nil {
		g.options.Log.Warn("a session was not given back; the grid ends it by itself after its --session-timeout",
			"grid", g.place(), "err", err)
	}
}
