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

// keepSession has a session with etcd, and another one whenever it is lost, until ctx ends. begun is called with each;
// its context ends with the session.
func (k *backend) keepSession(ctx context.Context, ttl time.Duration,
	begun func(context.Context, *concurrency.Session)) {
	wait := newBackoff()
	for ctx.Err() == nil {
		err := k.oneSession(ctx, ttl, func(ctx context.Context, s *concurrency.Session) {
			wait.reset()
			begun(ctx, s)
		})
		if err != nil && ctx.Err() == nil {
			k.log.Warn("the session with etcd is lost: another one is begun", "error", err)
		}
		wait.wait(ctx)
	}
}

// oneSession has one session. It returns when that is lost, or ctx ends. A lost one isn't revoked:
// what hangs on it moves to the next, mostly before it goes.
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
		return fmt.Errorf("etcd has not renewed it in time")
	case <-ctx.Done():
		stop()
		<-s.Done()
		k.revoke(lease.ID)
		return ctx.Err()
	}
}

// belong has a session for what goes with this process: its members and requests.
func (k *backend) belong(ctx context.Context) {
	k.keepSession(ctx, k.ttl, func(session context.Context, s *concurrency.Session) {
		k.session.Store(int64(s.Lease()))
		context.AfterFunc(session, func() { k.session.CompareAndSwap(int64(s.Lease()), 0) })
		k.tell(leases.SessionBegan{Session: int64(s.Lease())})
	})
}

// electionTTL is the silence after which another candidate leads. It is shorter than what ends a process's members,
// because it costs nothing if a leader that was merely slow is followed by another; and no shorter, because within it a
// session goes on at another member of etcd when its own freezes.
const electionTTL = 5 * time.Second

// stand has this process be a candidate in the election, in a session of its own.
func (k *backend) stand(ctx context.Context) {
	if !k.candidate {
		return
	}
	k.keepSession(ctx, min(k.ttl, electionTTL), func(session context.Context, s *concurrency.Session) {
		k.campaigns.Go(func() { k.campaign(session, s) })
	})
}

// campaign makes this process a candidate, and reports when it leads. It returns then, or when ctx or the session ends.
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

// revoke ends a session at etcd, so that what hangs on it goes at once. If etcd doesn't hear of it,
// the session goes after its TTL.
func (k *backend) revoke(lease clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = k.client.Revoke(ctx, lease)
}

func notAnswering(err error) string { return fmt.Sprintf("etcd doesn't answer (%v)", err) }

// backoff waits longer and longer, and by chance, so that not all try at the same time.
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
