package leasetest

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"webmcphub/cluster/leases"
)

// Memory keeps the state of a cluster in this process. No program uses it: a gateway that is given its nodes by --node
// has no store. It does as etcd does: transactions have conditions on revisions, keys go with their session, and every
// change is told in order. Its methods may be called by any goroutine.
type Memory struct {
	mu       sync.Mutex // guards all below; nothing is waited for while it is held
	revision int64
	begun    int64 // sessions so far
	entries  map[string]entry
	sessions map[*session]bool
	leader   *session
}

type entry struct {
	leases.Entry
	of *session // nil: it stays
}

// NewMemory is a cluster without anyone.
func NewMemory() *Memory {
	return &Memory{entries: map[string]entry{}, sessions: map[*session]bool{}}
}

// Open opens a store of the cluster. Those of one cluster need different names.
func (c *Memory) Open(opts leases.Options, log *slog.Logger) *leases.Store {
	return leases.Open(c.Backend(opts), opts, log)
}

// session is one store's part: a [leases.Backend].
type session struct {
	cluster   *Memory
	id        int64  // after it has begun
	candidate string // its key, if it is a candidate in the election
	signal    chan struct{}
	queue     []leases.Event // guarded by the cluster's mu
}

// Backend is one store's part of the cluster.
func (c *Memory) Backend(opts leases.Options) leases.Backend {
	s := &session{cluster: c, signal: make(chan struct{}, 1)}
	if opts.Candidate {
		s.candidate = leases.ElectionAt + opts.Name
	}
	return s
}

var errOver = errors.New("the session is over")

// Run tells of all that is kept, see [leases.Backend].
func (s *session) Run(ctx context.Context, tell func(leases.Event)) {
	s.begin()
	defer s.end()
	for {
		for _, e := range s.taken() {
			tell(e)
		}
		select {
		case <-s.signal:
		case <-ctx.Done():
			return
		}
	}
}

func (s *session) begin() {
	c := s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	s.id, c.sessions[s] = c.begun, true
	var all []leases.Entry
	for _, e := range c.entries {
		all = append(all, e.Entry)
	}
	s.tell(leases.Listed{Entries: all, Revision: c.revision})
	s.tell(leases.SessionBegan{Session: s.id})
	if s.candidate != "" {
		c.change(s, []leases.Put{{Key: s.candidate, Session: true}}, nil)
	}
}

// end takes out what hangs on the session.
func (s *session) end() {
	c := s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s)
	var gone []string
	for key, e := range c.entries {
		if e.of == s {
			gone = append(gone, key)
		}
	}
	if len(gone) > 0 {
		c.change(s, nil, gone)
	}
}

// taken is what is to be told.
func (s *session) taken() []leases.Event {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	all := s.queue
	s.queue = nil
	return all
}

// tell is called with the lock held.
func (s *session) tell(e leases.Event) {
	s.queue = append(s.queue, e)
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// Commit carries out a transaction, see [leases.Backend].
func (s *session) Commit(_ context.Context, tx leases.Tx) (bool, int64, error) {
	c := s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sessions[s] {
		return false, 0, errOver
	}
	for _, on := range tx.If {
		if c.entries[on.Key].Version != on.Version {
			return false, c.revision, nil
		}
	}
	c.change(s, tx.Put, tx.Delete)
	return true, c.revision, nil
}

// change is called with the lock held.
func (c *Memory) change(by *session, put []leases.Put, gone []string) {
	c.revision++
	change := leases.Changed{Revision: c.revision}
	for _, key := range gone {
		if _, there := c.entries[key]; there {
			delete(c.entries, key)
			change.Delete = append(change.Delete, key)
		}
	}
	for _, p := range put {
		e := entry{Entry: leases.Entry{Key: p.Key, Value: p.Value, Created: c.revision, Version: c.revision}}
		if before, there := c.entries[p.Key]; there {
			e.Created, e.of = before.Created, before.of
		}
		if !p.SameSession {
			e.of = nil
		}
		if p.Session {
			e.of = by
		}
		if e.of != nil {
			e.Session = e.of.id
		}
		c.entries[p.Key] = e
		change.Put = append(change.Put, e.Entry)
	}
	for s := range c.sessions {
		s.tell(change)
	}
	c.elect()
}

// elect has the candidate lead that came first. It is called with the lock held.
func (c *Memory) elect() {
	var first entry
	for key, e := range c.entries {
		if e.of != nil && key == e.of.candidate && (first.of == nil || e.Created < first.Created) {
			first = e
		}
	}
	if c.leader != first.of && first.of != nil {
		first.of.tell(leases.Elected{Fence: leases.If{Key: first.Key, Version: first.Version}})
	}
	c.leader = first.of
}
