package etcd

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"webmcphub/cluster/allot"
)

// silence is how long a member of etcd may take to answer a probe that another one answers.
const silence = 1500 * time.Millisecond

// probe looks again and again whether etcd answers, with a majority behind it, and still has what it
// had.
func (k *keeper) probe(ctx context.Context) {
	every := time.NewTicker(min(k.ttl/5, time.Second))
	defer every.Stop()
	for {
		select {
		case <-every.C:
			k.probeAll(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// probeAll asks as often as there are members, at the same time: gRPC has each connection take its
// turn. A member that is silent while another one answers is hung up on. Else the watch would miss what
// changes, the session would lapse, and every third transaction would wait, until gRPC noticed it after
// 13 s. A frozen member takes no new connection; one that is merely slow does, and goes on.
func (k *keeper) probeAll(ctx context.Context) {
	before := k.known.newest()
	asked, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), silence)
	defer cancel()
	n := max(1, len(k.client.Endpoints()))
	answers := make(chan answer, n)
	for range n {
		go func() { answers <- k.ask(asked) }()
	}
	var answered bool
	var failed []answer
	for range n {
		a := <-answers
		if a.err != nil {
			failed = append(failed, a)
		} else if !answered {
			answered = true
			k.known.doubt(a.epoch, a.revision < before)
			k.tell(ctx, allot.InTouch{})
		}
	}
	if ctx.Err() != nil {
		return
	}
	if !answered {
		k.tell(ctx, allot.OutOfTouch{Why: notAnswering(failed[0].err)})
		return
	}
	for _, a := range failed {
		if errors.Is(a.err, context.DeadlineExceeded) && hangUp(&a.by) {
			k.log.Warn("a member of etcd doesn't answer while others do: its connection is closed", "member", a.by.Addr)
		}
	}
}

// answer is what a member says to a probe.
type answer struct {
	epoch    string
	revision int64
	by       peer.Peer
	err      error
}

// ask reads the epoch. It doesn't do so by [clientv3.Client.Get], which doesn't tell who was asked.
func (k *keeper) ask(ctx context.Context) (a answer) {
	kv := etcdserverpb.NewKVClient(k.client.ActiveConnection())
	resp, err := kv.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte(k.prefix + epochAt)}, grpc.Peer(&a.by), grpc.WaitForReady(true))
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
