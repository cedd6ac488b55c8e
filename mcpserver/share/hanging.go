package share

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// watch ends a link whose owner doesn't answer. While the owner has requests of the client to answer, it must send
// something within each beat. At other times watch sends it no pings.
func (r *relay) watch(ctx context.Context, l *link) {
	var pinging atomic.Bool
	for {
		select {
		case <-r.liveness.asking:
		case <-ctx.Done():
			return
		}
		missed := 0
		for last := r.liveness.received.Load(); r.waits(); {
			// Writing to an owner that doesn't read may block.
			if !pinging.Swap(true) {
				go func() {
					_, _ = l.out.Write([]byte(ping + "\n"))
					pinging.Store(false)
				}()
			}
			select {
			case <-time.After(r.o.beat):
			case <-ctx.Done():
				return
			}
			now := r.liveness.received.Load()
			if missed++; now != last || r.liveness.delivering.Load() { // a client doesn't read
				missed, last = 0, now
			}
			if missed == beats {
				r.mu.Lock()
				r.hangs = true
				r.mu.Unlock()
				l.close()
				return
			}
		}
	}
}

// waits reports whether the owner has requests of the client to answer.
func (r *relay) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.memory.inFlight) > 0 || r.link == nil // or has yet to be introduced to the client
}

// standIn serves the client while another process has the Chrome and can't be joined, until this process joins an
// owner or becomes one. Its error is about the client's side, or about something that waiting doesn't solve.
func (r *relay) standIn(ctx, looking context.Context, taken *TakenError) (role, error) {
	r.log("this client can't have its hub now, and is told why", "why", taken)
	var why atomic.Pointer[TakenError]
	why.Store(taken)
	serving, stop := context.WithCancel(ctx)
	defer stop()
	type found struct {
		role
		ok  bool
		err error
	}
	got := make(chan found, 1)
	waiting, stopWaiting := context.WithCancel(looking)
	go func() {
		s, ok, err := r.o.await(waiting, &why, r.cannotJoin)
		got <- found{s, ok, err}
		stop()
	}()
	server := r.o.StandIn(func() error { return why.Load() })
	err := r.pass(ctx, linkToOwn(serving, server))
	stopWaiting()
	f := <-got
	if err == nil {
		err = f.err
	}
	if err == nil && !f.ok && !r.over(ctx) {
		err = errSessionEnded
	}
	if err != nil {
		f.leave()
		f.role = role{}
	}
	return f.role, err
}

// await tries to join an owner or to become one until that succeeds. It keeps in why why it has not succeeded yet, and
// calls refused for each owner that refuses this process.
func (o *Options) await(ctx context.Context, why *atomic.Pointer[TakenError],
	refused func(*TakenError)) (s role, ok bool, err error) {
	for pause := o.beat / 6; ; pause = min(2*pause, o.beat) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return role{}, false, nil
		}
		s, err := o.paths.look(ctx, o)
		taken := (*TakenError)(nil)
		switch {
		case err == nil:
			return s, true, nil
		case errors.As(err, &taken):
			why.Store(taken)
			refused(taken)
		case errors.Is(err, errSilent):
			why.Store(o.paths.silent(err))
		default:
			return role{}, false, err
		}
	}
}

// silent returns the error about an owner that hangs. It returns nil if this process can't serve its client
// meanwhile.
func (o *Options) silent() *TakenError {
	if o.StandIn == nil || o.Off {
		return nil
	}
	return o.paths.silent(errSilent)
}
