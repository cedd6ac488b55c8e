package etcd

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"webmcphub/cluster/leases"
)

// silence is how long a member of etcd may take to answer a probe, if another one answers.
const silence = 1500 * time.Millisecond

// probe checks at intervals whether etcd answers, with a majority of its members, and whether it still has its data.
func (k *backend) probe(ctx context.Context) {
	every := time.NewTicker(min(k.ttl/5, time.Second))
	defer every.Stop()
	hung := hungUp{}
	for {
		select {
		case <-every.C:
			k.probeAll(ctx, hung)
		case <-ctx.Done():
			return
		}
	}
}

// probeAll sends as many requests at the same time as etcd has members: gRPC gives each to the next connection. It
// closes the connections to a member that is silent while another one answers. Otherwise, until gRPC noticed the
// silence after 13 s, the watch would miss changes, the session would lapse, and one in three transactions would wait.
// A frozen member takes no new connection. A slow one does, and probeAll leaves it alone for a while.
func (k *backend) probeAll(ctx context.Context, hung hungUp) {
	before := k.revision.Load()
	probeCtx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), silence)
	defer cancel()
	n := max(1, len(k.client.Endpoints()))
	answers := make(chan answer, n)
	for range n {
		go func() { answers <- k.ask(probeCtx) }()
	}
	var answered bool
	var failed []answer
	for range n {
		a := <-answers
		if a.err != nil {
			failed = append(failed, a)
			continue
		}
		if delete(hung, a.member()); !answered {
			answered = true
			select {
			case k.probed <- probed{a.epoch, a.revision < before}:
			default: // follow hasn't taken the previous one yet, or is listing
			}
			k.tell(leases.InTouch{})
		}
	}
	if ctx.Err() != nil {
		return
	}
	if !answered {
		k.tell(leases.OutOfTouch{Why: notAnswering(failed[0].err)})
		return
	}
	for _, a := range failed {
		if errors.Is(a.err, context.DeadlineExceeded) && hung.may(a.member(), time.Now()) && k.hangUp(a) {
			k.log.Warn("a member of etcd doesn't answer while others do: the connections to it are closed", "member",
				a.by.Addr)
		}
	}
}

// hungUp has the members whose connections were closed, until they answer in time. It belongs to probe.
type hungUp map[string]lull

// lull says for how long, and until when, a member's connections are not closed again.
type lull struct {
	lasts time.Duration
	until time.Time
}

// A member's first lull, and its longest. Each lull is twice as long as the one before, because closing the
// connections of a slow member makes all requests on them fail.
const firstLull, longestLull = 10 * time.Second, 5 * time.Minute

// may says whether a member's connections may be closed now. If so, it begins the member's next lull.
func (h hungUp) may(member string, now time.Time) bool {
	l, before := h[member]
	switch {
	case !before:
		l.lasts = firstLull
	case now.Before(l.until):
		return false
	default:
		l.lasts = min(2*l.lasts, longestLull)
	}
	l.until = now.Add(l.lasts)
	h[member] = l
	return true
}

// answer is the answer of a member to a probe.
type answer struct {
	epoch    string
	revision int64
	by       peer.Peer
	err      error
}

// member returns the address of the member that was asked, or "" if none was.
func (a answer) member() string {
	if a.by.Addr == nil {
		return ""
	}
	return a.by.Addr.String()
}

// ask reads the epoch. It doesn't use [clientv3.Client.Get], which doesn't return the address of the member.
func (k *backend) ask(ctx context.Context) (a answer) {
	kv := etcdserverpb.NewKVClient(k.client.ActiveConnection())
	resp, err := kv.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte(k.prefix + epochAt)}, grpc.Peer(&a.by),
		grpc.WaitForReady(true))
	if err != nil {
		a.err = clientv3.ContextError(ctx, err)
		return a
	}
	a.revision = resp.Header.Revision
	for _, kv := range resp.Kvs {
		a.epoch = string(kv.Value)
	}
	return a
}
