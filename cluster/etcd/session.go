package etcd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"webmcphub/cluster/leases"
)

// keepSession keeps a session with etcd until ctx ends: it begins a new one whenever a session is lost. It calls begun
// with each session; begun's context ends with the session.
func (k *backend) keepSession(ctx context.Context, ttl time.Duration,
	begun func(context.Context, *concurrency.Session)) {
	wait := newBackoff()
	for ctx.Err() == nil {
		err := k.oneSession(ctx, ttl, func(ctx context.Context, s *concurrency.Session) {
			wait.reset()
			begun(ctx, s)
		})
		if err != nil && ctx.Err() == nil {
			k.log.Warn("the session with etcd is lost: a new one begins", "error", err)
		}
		wait.wait(ctx)
	}
}

// oneSession keeps one session until it is lost or ctx ends. It doesn't revoke a lost session: the client puts its
// entries again in the next session, mostly before etcd removes them.
func (k *backend) oneSession(ctx context.Context, ttl time.Duration,
	begun func(context.Context, *concurrency.Session)) error {
	grantCtx, cancel := context.WithTimeout(ctx, askBound)
	lease, err := k.client.Grant(grantCtx, int64(ttl/time.Second))
	cancel()
	if err != nil {
		return err
	}
	kept, stop := context.WithCancel(ctx)
	defer stop()
	s, err := concurrency.NewSession(k.client, concurrency.WithLease(lease.ID), concurrency.WithContext(kept))
	if err != nil {
		return err
	}
	begun(kept, s)
	select {
	case <-s.Done():
		return fmt.Errorf("it was not renewed in time")
	case <-ctx.Done():
		stop()
		<-s.Done()
		k.revoke(lease.ID)
		return ctx.Err()
	}
}

// belong keeps the session with which this process's members and requests end.
func (k *backend) belong(ctx context.Context) {
	k.keepSession(ctx, k.ttl, func(session context.Context, s *concurrency.Session) {
		k.session.Store(int64(s.Lease()))
		context.AfterFunc(session, func() { k.session.CompareAndSwap(int64(s.Lease()), 0) })
		k.tell(leases.SessionBegan{Session: int64(s.Lease())})
	})
}

// electionTTL is how long the leader may be silent before another candidate leads. It is shorter than memberTTL,
// because replacing a leader that was only slow costs nothing. It isn't shorter still, because the session needs this
// time to continue at another member of etcd when its own freezes.
const electionTTL = 5 * time.Second

// stand makes this process a candidate in the election, in a session of its own, if the options say so.
func (k *backend) stand(ctx context.Context) {
	if !k.candidate {
		return
	}
	k.keepSession(ctx, min(k.ttl, electionTTL), func(session context.Context, s *concurrency.Session) {
		k.campaigns.Go(func() { k.campaign(session, s) })
	})
}

// campaign makes this process a candidate, and returns after reporting that it leads, or when ctx or the session ends.
func (k *backend) campaign(ctx context.Context, s *concurrency.Session) {
	for wait := newBackoff(); ctx.Err() == nil; wait.wait(ctx) {
		e := concurrency.NewElection(s, k.prefix+strings.TrimSuffix(leases.ElectionAt, "/"))
		if err := e.Campaign(clientv3.WithRequireLeader(ctx), ""); err == nil {
			k.tell(leases.Elected{Fence: leases.If{Key: strings.TrimPrefix(e.Key(), k.prefix), Version: e.Rev()}})
			return
		} else if ctx.Err() == nil {
			k.log.Debug("the election as leader of the cluster is tried again", "error", err)
		}
	}
}

// revoke ends a session at etcd, so that etcd removes its entries at once. If that fails, the session ends after its
// TTL.
func (k *backend) revoke(lease clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = k.client.Revoke(ctx, lease)
}

func notAnswering(err error) string { return fmt.Sprintf("etcd doesn't answer (%v)", err) }

// backoff waits longer and longer, for random times, so that processes don't all try again at the same moment.
type backoff struct{ next time.Duration }

const (
	backoffFirst = 50 * time.Millisecond
	backoffMost  = 2 * time.Second
)

func newBackoff() *backoff { return &backoff{backoffFirst} }

func (b *backoff) reset() { b.next = backoffFirst }

func (b *backoff) wait(ctx context.Context) {
	t := time.NewTimer(b.next/2 + rand.N(b.next))
	defer t.Stop()
	b.next = min(2*b.next, backoffMost)
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
