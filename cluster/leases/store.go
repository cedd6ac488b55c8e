package leases

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// errClosed says that the store has been closed.
var errClosed = errors.New("this process is leaving the cluster")

// closeBound is how long Close may take to take back browsers that are being granted.
const closeBound = 3 * time.Second

// commitBound is how long a transaction may take before the store gives it up.
const commitBound = 3 * time.Second

// Backend keeps the entries of a cluster for the stores of all its processes.
type Backend interface {
	// Run calls tell with all entries ([Listed]), then with every change, and whenever the backend gets in touch or
	// out of touch with the place where the entries are kept, until ctx ends. Run keeps a session, and ends the
	// session before it returns. tell doesn't block for long. One goroutine at a time calls it.
	Run(ctx context.Context, tell func(Event))
	// Commit carries out a transaction if its conditions hold. done says whether they did. revision is the newest
	// revision of all entries at that time. After an error the transaction may have been carried out. Any goroutine
	// may call Commit.
	Commit(ctx context.Context, tx Tx) (done bool, revision int64, err error)
}

// Store knows the members, and gives browsers to tenants, consistently in the whole cluster. A mutex guards its
// [Client]. Each transaction runs in its own goroutine. Any goroutine may call the Store's methods.
type Store struct {
	backend Backend
	log     *slog.Logger
	ctx     context.Context
	end     context.CancelFunc // called with mu held
	all     sync.WaitGroup     // the goroutines of the backend and of transactions
	settled chan struct{}      // closed when the store closes and its client is settled

	mu      sync.Mutex // guards the fields below; its holder never waits
	client  *Client
	ids     uint64 // the newest ID of a request or a release
	waiters map[uint64]*waiter
	newest  *Snapshot     // nil if nobody has asked for it since the last change
	changed chan struct{} // closed when the snapshot changes
	timer   *time.Timer   // nil until the client has set it
	closing bool
}

// waiter waits for the answer to a request or a release.
type waiter struct {
	progress chan Progress // the newest progress
	answer   chan Answered
	wants    bool // waits for a browser, not for a release
}

// Open returns a Store for this process. It runs the backend until [Store.Close].
func Open(backend Backend, opts Options, log *slog.Logger) *Store {
	s := &Store{backend: backend, log: log, settled: make(chan struct{}),
		client: NewClient(opts), waiters: map[uint64]*waiter{}, changed: make(chan struct{})}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.all.Go(func() { backend.Run(s.ctx, func(e Event) { s.step(e) }) })
	return s
}

// step passes an event to the client, and carries out the effects. It returns false if the store is closed.
func (s *Store) step(e Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stepLocked(e)
}

// stepLocked is step for a caller that holds mu.
func (s *Store) stepLocked(e Event) bool {
	if s.ctx.Err() != nil {
		return false
	}
	now := time.Now()
	for _, e := range s.client.Step(now, e) {
		switch e := e.(type) {
		case Commit:
			s.commit(e)
		case Answered:
			if w := s.waiters[e.ID]; w != nil {
				w.answer <- e
				delete(s.waiters, e.ID)
			}
		case Progressed:
			if w := s.waiters[e.ID]; w != nil {
				select {
				case <-w.progress:
				default:
				}
				w.progress <- e.Progress
			}
		case Updated:
			s.newest = nil
			close(s.changed)
			s.changed = make(chan struct{})
		case SetTimer:
			s.setTimer(e.At.Sub(now))
		case Warning:
			s.log.Warn(e.Text)
		case Refused:
			if refused := s.client.opts.Refused; refused != nil {
				refused(e.Err)
			}
		}
	}
	s.settle()
	return true
}

func (s *Store) setTimer(after time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(after, func() { s.step(TimerFired{}) })
		return
	}
	s.timer.Reset(after)
}

// commit carries out a transaction in a goroutine of its own.
func (s *Store) commit(e Commit) {
	s.all.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, commitBound)
		defer cancel()
		done, revision, err := s.backend.Commit(ctx, e.Tx)
		s.step(Committed{Slot: e.Slot, Done: done, Revision: revision, Err: err})
	})
}

// settle closes settled when the store closes and its client is settled.
func (s *Store) settle() {
	if !s.closing || !s.client.Settled() {
		return
	}
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

// Close ends all memberships and all waiting requests. Leases stay.
//
// If a browser is just being granted to a request, Close takes the browser back, unless that takes longer than
// closeBound. Otherwise nobody would ever know of the lease.
func (s *Store) Close() {
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		for id, w := range s.waiters {
			if w.wants {
				w.answer <- Answered{ID: id, Err: errClosed}
				delete(s.waiters, id)
			}
		}
		s.stepLocked(Closing{})
	}
	s.mu.Unlock()
	select {
	case <-s.settled:
	case <-s.ctx.Done(): // another call of Close has waited
	case <-time.After(closeBound):
	}
	s.mu.Lock()
	s.end() // from here on no transaction begins
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// Join makes m a member as soon as the store is in touch with its backend, and makes it a member again when its entry
// is lost. While another process has m's name, m waits; after a while it is refused ([Options].Refused). Join itself
// doesn't wait. It returns an error if m's description is wrong. The membership ends when ctx ends, and the leases of
// the member's browsers end some time later, see [Limits]. update replaces the member's description, except for its
// role and name. update doesn't block, and any goroutine may call it.
func (s *Store) Join(ctx context.Context, m Member) (update func(Member), err error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if !s.step(Joined{Member: m}) {
		return nil, errClosed
	}
	context.AfterFunc(ctx, func() { s.step(Left{Role: m.Role, Name: m.Name}) })
	return func(as Member) {
		as.Role, as.Name = m.Role, m.Name
		if err := as.Check(); err != nil {
			s.log.Error("a member's new description is ignored, because it is invalid", "error", err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil { // otherwise it has left, or leaves once mu is free
			s.stepLocked(Joined{Member: as})
		}
	}, nil
}

// Watch calls notify with the snapshot, at once and whenever it changes, until ctx or the store ends. Then it returns.
// While notify runs, Watch skips snapshots.
func (s *Store) Watch(ctx context.Context, notify func(Snapshot)) {
	for ctx.Err() == nil && s.ctx.Err() == nil {
		now, changed := s.snapshot()
		notify(now)
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
	}
}

// snapshot returns what the client knows, and a channel that is closed when this changes.
func (s *Store) snapshot() (Snapshot, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		now := s.client.Snapshot()
		s.newest = &now
	}
	return *s.newest, s.changed
}

// Acquire waits for a browser, in a queue with the tenant's other requests. It calls notify with the request's
// progress whenever that changes. notify must not block, and may be nil. The error is a [*Refusal], or says that ctx
// or the store has ended. After an error the tenant holds no more than before.
func (s *Store) Acquire(ctx context.Context, r Request, notify func(Progress)) (Lease, error) {
	return s.ask(ctx, true, notify, func(id uint64) Event { return Requested{ID: id, Request: r} })
}

// Release ends a lease. The browser is granted again after it has begun another life. The error is [ErrNoLease] if the
// tenant has no lease with that handle, or says that ctx or the store has ended. In the second case the lease may last
// until it is too old.
func (s *Store) Release(ctx context.Context, tenant, handle string) error {
	_, err := s.ask(ctx, false, nil, func(id uint64) Event {
		return Released{ID: id, Tenant: tenant, Handle: handle}
	})
	return err
}

// ask passes a request or a release to the client, as the event that has its ID, and waits for the answer until ctx or
// the store ends.
func (s *Store) ask(ctx context.Context, wants bool, notify func(Progress),
	event func(id uint64) Event) (Lease, error) {
	w := &waiter{progress: make(chan Progress, 1), answer: make(chan Answered, 1), wants: wants}
	s.mu.Lock()
	s.ids++
	id := s.ids
	s.waiters[id] = w
	taken := (!wants || !s.closing) && s.stepLocked(event(id))
	s.mu.Unlock()
	if !taken {
		return Lease{}, errClosed
	}
	var why error
	for why == nil {
		select {
		case at := <-w.progress:
			if notify != nil {
				notify(at)
			}
		case a := <-w.answer:
			return a.Lease, a.Err
		case <-ctx.Done():
			why = ctx.Err()
			s.giveUp(id)
		case <-s.ctx.Done():
			why = errClosed
		}
	}
	select {
	case a := <-w.answer: // the answer came at the same moment
		return a.Lease, a.Err
	default:
		return Lease{}, why
	}
}

// giveUp tells the client that nobody waits for an answer any more.
func (s *Store) giveUp(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiters, id)
	s.stepLocked(Canceled{ID: id})
}

// Use says which tenants use their leases now: a client of the tenant is connected to this process, or one of its
// calls runs. Leases that nobody uses end, see [Limits].Idle. The gateway calls Use at intervals. Use doesn't wait.
func (s *Store) Use(tenants []string) { s.step(InUse{Tenants: tenants}) }

// Limit replaces the limits for tenants, at all gateways. It doesn't wait.
func (s *Store) Limit(l Limits) { s.step(LimitsSet{Limits: l}) }

// RevokeRemoved replaces the list of removed tenants. It doesn't wait. When a tenant is new in the list, all its
// leases end. While the tenant is in the list, this process refuses its requests. If a gateway that doesn't know of
// the removal yet gets a lease for the tenant later, that gateway has to end the lease.
func (s *Store) RevokeRemoved(tenants []string) { s.step(TenantsRemoved{Tenants: tenants}) }
