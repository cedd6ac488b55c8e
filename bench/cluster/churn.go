package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
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
		one, err := acquire(ctx, a, 2*time.Second)
		var down *turnedDown
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &down):
			k.refused.Add(1)
			continue
		case err != nil:
			r.Fail("acquire_browser at gateway %d: %v", gateway, err)
			return
		}
		r.Check("doubled", k.gave(one))
		_ = sleep(ctx, 50*time.Millisecond) // it works with it
		lost := k.takes(one)
		if err := release(context.WithoutCancel(ctx), a, one); err != nil && !lost {
			r.Fail("the lease %s is lost: %v", one.Browser, err)
		} else if lost {
			k.lost.Add(1)
		}
	}
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
