package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/cluster/leases"
)

// ErrClosed says that the store has been closed.
var ErrClosed = errors.New("this process is leaving the cluster")

// closeBound is how long closing may take to take back what was being given.
const closeBound = 3 * time.Second

// commitBound is how long a transaction may take until it is given up.
const commitBound = 3 * time.Second

// Keeper keeps entries, for all stores of a cluster.
type Keeper interface {
	// Run tells of all that is kept, and then of every change, until ctx ends; and whether the keeper
	// is in touch. It keeps a session meanwhile and ends it before it returns. tell doesn't block for
	// long; one goroutine at a time calls it.
	Run(ctx context.Context, tell func(leases.Event))
	// Commit carries out a transaction if its conditions hold: done says so. revision is the
	// newest of all entries then. After an error it may have been carried out. Any goroutine may call it.
	Commit(ctx context.Context, tx leases.Tx) (done bool, revision int64, err error)
}

// Store is an [leases.Store] over a [Keeper].
type Store struct {
	keeper Keeper
	log    *slog.Logger
	in     chan func(*owner)
	ids    atomic.Uint64
	ctx    context.Context
	end    context.CancelFunc
	all    sync.WaitGroup
}

var _ leases.Store = (*Store)(nil)

// Open begins to keep this process's part. The keeper is run until [Store.Close].
func Open(keeper Keeper, opts leases.Options, log *slog.Logger) *Store {
	s := &Store{keeper: keeper, log: log, in: make(chan func(*owner))}
	s.ctx, s.end = context.WithCancel(context.Background())
	o := &owner{store: s, client: leases.NewClient(opts), waiters: map[uint64]*waiter{}, changed: make(chan struct{}),
		refused: opts.Refused}
	s.all.Go(o.run)
	s.all.Go(func() { keeper.Run(s.ctx, s.step) })
	return s
}

// step has the owner take an event up, and returns when it has.
func (s *Store) step(e leases.Event) { s.own(func(o *owner) { o.step(e) }) }

// own has the owner do something, and returns when it is done; false if the store is closed.
func (s *Store) own(do func(*owner)) bool {
	done := make(chan struct{})
	select {
	case s.in <- func(o *owner) { do(o); close(done) }:
		<-done
		return true
	case <-s.ctx.Done():
		return false
	}
}

// Close ends all memberships, and all that waits. Leases stay.
//
// A browser that is being given just then is taken back, where that takes no longer than closeBound: nobody would ever
// learn that he has it.
func (s *Store) Close() {
	settled := make(chan struct{})
	if s.own(func(o *owner) { o.close(settled) }) {
		select {
		case <-settled:
		case <-time.After(closeBound):
		}
	}
	s.end()
	s.all.Wait()
}

// Join makes m a member, see [leases.Store].
func (s *Store) Join(ctx context.Context, m leases.Member) (leases.Membership, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	in := &membership{store: s, role: m.Role, name: m.Name}
	if !s.own(func(o *owner) { o.step(leases.Joined{Member: m}) }) {
		return nil, ErrClosed
	}
	in.stop = context.AfterFunc(ctx, in.leave)
	return in, nil
}

type membership struct {
	store *Store
	role  leases.Role
	name  string
	stop  func() bool
	over  bool // the owner's
}

// Update replaces what the member says of itself. One that says nothing right is passed over.
func (m *membership) Update(as leases.Member) {
	as.Role, as.Name = m.role, m.name
	if err := as.Check(); err != nil {
		m.store.log.Error("what a member says of itself is passed over", "error", err)
		return
	}
	m.store.own(func(o *owner) {
		if !m.over {
			o.step(leases.Joined{Member: as})
		}
	})
}

// Leave ends the membership.
func (m *membership) Leave() {
	m.stop()
	m.leave()
}

func (m *membership) leave() {
	m.store.own(func(o *owner) {
		if !m.over {
			m.over = true
			o.step(leases.Left{Role: m.role, Name: m.name})
		}
	})
}

// Watch calls told with the snapshot, see [leases.Store].
func (s *Store) Watch(ctx context.Context, told func(leases.Snapshot)) {
	var now leases.Snapshot
	var changed <-chan struct{}
	for ctx.Err() == nil && s.own(func(o *owner) { now, changed = o.snapshot() }) {
		told(now)
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
	}
}

// Acquire waits for a browser, see [leases.Store].
func (s *Store) Acquire(ctx context.Context, r leases.Request, told func(leases.Waiting)) (leases.Lease, error) {
	w, id := newWaiter(), s.ids.Add(1)
	if !s.own(func(o *owner) { o.await(id, w, leases.Requested{ID: id, Request: r}) }) {
		return leases.Lease{}, ErrClosed
	}
	for {
		select {
		case at := <-w.told:
			if told != nil {
				told(at)
			}
		case a := <-w.answer:
			return a.Lease, a.Err
		case <-ctx.Done():
			return s.giveUp(id, w, ctx.Err())
		case <-s.ctx.Done():
			select {
			case a := <-w.answer: // it came in the same moment
				return a.Lease, a.Err
			default:
				return leases.Lease{}, ErrClosed
			}
		}
	}
}

// Release ends a lease, see [leases.Store].
func (s *Store) Release(ctx context.Context, tenant, handle string) error {
	w, id := newWaiter(), s.ids.Add(1)
	if !s.own(func(o *owner) { o.await(id, w, leases.Released{ID: id, Tenant: tenant, Handle: handle}) }) {
		return ErrClosed
	}
	select {
	case a := <-w.answer:
		return a.Err
	case <-ctx.Done():
		_, err := s.giveUp(id, w, ctx.Err())
		return err
	case <-s.ctx.Done():
		return ErrClosed
	}
}

// Use says which tenants use their leases just now, see [leases.Store].
func (s *Store) Use(tenants []string) { s.step(leases.InUse{Tenants: tenants}) }

// Limit sets what tenants may have, see [leases.Store].
func (s *Store) Limit(l leases.Limits) { s.step(leases.LimitsSet{Limits: l}) }

// Evict reports removed tenants, see [leases.Store].
func (s *Store) Evict(tenants []string) { s.step(leases.Evicted{Tenants: tenants}) }

// giveUp ends a wait, unless the answer has come in that instant.
func (s *Store) giveUp(id uint64, w *waiter, why error) (leases.Lease, error) {
	s.own(func(o *owner) {
		delete(o.waiters, id)
		o.step(leases.Canceled{ID: id})
	})
	select {
	case a := <-w.answer:
		return a.Lease, a.Err
	default:
		return leases.Lease{}, why
	}
}
