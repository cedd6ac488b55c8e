package store

import (
	"context"
	"time"

	"webmcphub/cluster/leases"
)

// owner is the one goroutine that has the client.
type owner struct {
	store   *Store
	client  *leases.Client
	waiters map[uint64]*waiter
	newest  *leases.Snapshot // nil until somebody asks for it
	changed chan struct{}    // closed when there is another
	timer   *time.Timer
	refused func(error)   // [leases.Options].Refused
	settled chan struct{} // closed once nothing is owed; nil until the store closes
}

// waiter is somebody who waits for an answer.
type waiter struct {
	told   chan leases.Waiting // the newest
	answer chan leases.Answered
	wants  bool // a browser, not a release; the owner's
}

func newWaiter() *waiter {
	return &waiter{told: make(chan leases.Waiting, 1), answer: make(chan leases.Answered, 1)}
}

func (o *owner) run() {
	o.timer = time.NewTimer(time.Hour)
	defer o.timer.Stop()
	for {
		select {
		case do := <-o.store.in:
			do(o)
		case <-o.timer.C:
			o.step(leases.TimerFired{})
		case <-o.store.ctx.Done():
			return
		}
	}
}

func (o *owner) step(e leases.Event) {
	now := time.Now()
	defer o.settle()
	for _, e := range o.client.Step(now, e) {
		switch e := e.(type) {
		case leases.Commit:
			o.commit(e)
		case leases.Answered:
			if w := o.waiters[e.ID]; w != nil {
				w.answer <- e
				delete(o.waiters, e.ID)
			}
		case leases.Progressed:
			if w := o.waiters[e.ID]; w != nil {
				select {
				case <-w.told:
				default:
				}
				w.told <- e.Waiting
			}
		case leases.Updated:
			o.newest = nil
			close(o.changed)
			o.changed = make(chan struct{})
		case leases.SetTimer:
			o.timer.Reset(e.At.Sub(now))
		case leases.Warning:
			o.store.log.Warn(e.Text)
		case leases.Refused:
			if o.refused != nil {
				o.refused(e.Err)
			}
		}
	}
}

// close has nobody wait for a browser any more. settled is closed once none of them can hold a browser.
func (o *owner) close(settled chan struct{}) {
	if o.settled != nil {
		close(settled)
		return
	}
	for id, w := range o.waiters {
		if w.wants {
			w.answer <- leases.Answered{ID: id, Err: ErrClosed}
			delete(o.waiters, id)
		}
	}
	o.settled = settled
	o.step(leases.Closing{})
}

func (o *owner) settle() {
	if o.settled == nil || !o.client.Settled() {
		return
	}
	select {
	case <-o.settled:
	default:
		close(o.settled)
	}
}

// commit carries a transaction out, beside the owner.
func (o *owner) commit(e leases.Commit) {
	s := o.store
	s.all.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, commitBound)
		defer cancel()
		done, revision, err := s.keeper.Commit(ctx, e.Tx)
		s.step(leases.Committed{Slot: e.Slot, Done: done, Revision: revision, Err: err})
	})
}

// await has an answer go to a waiter.
func (o *owner) await(id uint64, w *waiter, e leases.Event) {
	if _, w.wants = e.(leases.Requested); w.wants && o.settled != nil {
		w.answer <- leases.Answered{ID: id, Err: ErrClosed}
		return
	}
	o.waiters[id] = w
	o.step(e)
}

// snapshot is what the client knows, and what is closed when that changes.
func (o *owner) snapshot() (leases.Snapshot, <-chan struct{}) {
	if o.newest == nil {
		s := o.client.Snapshot()
		o.newest = &s
	}
	return *o.newest, o.changed
}
