package leasetest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/leases"
)

// slow is a backend that keeps it to itself that something was given, until it is let: it answers no transaction, and
// tells of no change.
type slow struct {
	leases.Backend
	silent *sync.Mutex   // held meanwhile
	held   chan struct{} // gets a token for each that is carried out
	let    chan struct{} // closed when they may go on
}

func (s slow) Commit(ctx context.Context, tx leases.Tx) (bool, int64, error) {
	s.silent.Lock()
	defer s.silent.Unlock()
	done, revision, err := s.Backend.Commit(ctx, tx)
	for _, put := range tx.Put {
		if done && strings.HasPrefix(put.Key, "browsers/") { // something is confirmed or ends
			s.held <- struct{}{}
			<-s.let
		}
	}
	return done, revision, err
}

func (s slow) Run(ctx context.Context, tell func(leases.Event)) {
	s.Backend.Run(ctx, func(e leases.Event) {
		s.silent.Lock()
		defer s.silent.Unlock()
		tell(e)
	})
}

// A gateway that closes while it is being given a browser leaves no lease.
func TestClosedWhileGiven(t *testing.T) {
	c := NewMemory()
	w := NewWorld(t, func(o leases.Options) *leases.Store { return c.Open(o, slog.New(slog.DiscardHandler)) })
	other := w.Gateway("other", nil)
	w.Node("n1", 1)
	backend := slow{c.Backend(leases.Options{Name: "closes"}), new(sync.Mutex), make(chan struct{}, 10), make(chan struct{})}
	closes := leases.Open(backend, leases.Options{Name: "closes", Candidate: true}, slog.New(slog.DiscardHandler))
	w.Knows(closes, 1)
	over := make(chan error, 1)
	go func() {
		_, err := closes.Acquire(context.Background(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
		over <- err
	}()
	<-backend.held // the browser is given, and the store doesn't know yet
	closed := make(chan struct{})
	go func() {
		closes.Close()
		close(closed)
	}()
	if err := <-over; err == nil {
		t.Error("the request is granted although the store closes")
	}
	close(backend.let)
	<-closed
	w.Until(other, "nothing is leased", func(p leases.Snapshot) bool { return len(p.Leases) == 0 && len(p.Spent) == 1 })
}
