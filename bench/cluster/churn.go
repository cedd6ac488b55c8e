package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/bench/cluster/agent"
)

// churn are clients that acquire browsers and give them back, all the time.
type churn struct {
	*ledger
	end     context.CancelFunc
	done    sync.WaitGroup
	refused atomic.Int64
	lost    atomic.Int64 // with their nodes
}

// startChurn has so many clients at each gateway. It does nothing where there is nothing to lend.
func (r *run) startChurn(ctx context.Context, c *Cluster, clients int) *churn {
	k := &churn{ledger: newLedger()}
	ctx, k.end = context.WithCancel(ctx)
	if c.Own == 0 {
		return k
	}
	for g := range c.GatewayList {
		for range clients {
			k.done.Go(func() { k.run(ctx, r, c, g) })
		}
	}
	return k
}

func (k *churn) run(ctx context.Context, r *run, c *Cluster, gateway int) {
	a := c.agent(gateway, 0)
	defer a.Close()
	for ctx.Err() == nil {
		_, down, lost, err := r.work(ctx, a, k.ledger, 2*time.Second, 50*time.Millisecond)
		switch {
		case err != nil:
			r.Fail("gateway %d: %v", gateway, err)
			return
		case down != nil:
			k.refused.Add(1)
		case lost:
			k.lost.Add(1)
		}
	}
}

// work has a client acquire a browser, for which it waits for so long at most, work with it and give it back. down is
// why it got none; both are nil, and waited is 0, if ctx ended before. lost says that the lease ended with its node.
func (r *run) work(ctx context.Context, a *agent.Agent, book *ledger, wait, works time.Duration) (waited time.Duration,
	down *turnedDown, lost bool, err error) {
	begun := time.Now()
	one, err := acquire(ctx, a, wait)
	waited = time.Since(begun)
	switch {
	case errors.As(err, &down):
		return waited, down, false, nil
	case err != nil && ctx.Err() != nil:
		return 0, nil, false, nil
	case err != nil:
		return waited, nil, false, fmt.Errorf("acquire_browser: %w", err)
	}
	r.Check("doubled", book.gave(one))
	_ = sleep(ctx, works)
	lost = book.takes(one)
	if err := release(context.WithoutCancel(ctx), a, one); err != nil && !lost {
		r.Fail("the lease %s is lost: %v", one.Browser, err)
	}
	return waited, nil, lost, nil
}

// stop ends the churn and tells of it.
func (k *churn) stop(r *run, c *Cluster) {
	k.end()
	k.done.Wait()
	if c.Own > 0 {
		r.Figure("leases meanwhile", "%d given, %d ended with their nodes, %d wishes refused, %d doubled", k.given,
			k.lost.Load(), k.refused.Load(), k.twice)
		if k.given == 0 {
			r.Fail("no browser was given")
		}
	}
}
