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

// silence is how long a member of etcd may take to answer a probe that another one answers.
const silence = 1500 * time.Millisecond

// probe looks again and again whether etcd answers, with a majority behind it, and still has what it
// had.
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

// probeAll asks as often as there are members, at the same time: gRPC has each connection take its
// turn. A member that is silent while another one answers is hung up on. Else the watch would miss what
// changes, the session would lapse, and every third transaction would wait, until gRPC noticed it after
// 13 s. A frozen member takes no new connection; one that is merely slow does, and is let be for a while.
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
			default: // follow is to take the one before, or lists
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
			k.log.Warn("a member of etcd doesn't answer while others do: its connection is closed", "member", a.by.Addr)
		}
	}
}

// hungUp are the members that were hung up on and haven't answered in time since. It belongs to probe.
type hungUp map[string]lull

// lull is how long a member is let be after it was hung up on, and until when.
type lull struct {
	lasts time.Duration
	until time.Time
}

// How long a member is let be at first and at most. Each time lasts twice as long as the one before: what waits on the
// connection of a member that is slow fails each time.
const firstLull, longestLull = 10 * time.Second, 5 * time.Minute

// may says whether a member may be hung up on now, and takes note that it is.
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

// answer is what a member says to a probe.
type answer struct {
	epoch    string
	revision int64
	by       peer.Peer
	err      error
}

// member is the address of who was asked, "" if nobody was.
func (a answer) member() string {
	if a.by.Addr == nil {
		return ""
	}
	return a.by.Addr.String()
}

// ask reads the epoch. It doesn't do so by [clientv3.Client.Get], which doesn't tell who was asked.
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
