package etcd

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"webmcphub/cluster/leases"
)

// epochAt is the key that tells whether etcd still has what it had: whoever finds none puts one,
// with a value that it never had before.
const epochAt = "epoch"

// known is what is known of etcd; listing and probing goroutines share it.
type known struct {
	mu       sync.Mutex
	epoch    string
	revision int64
	relist   chan struct{} // wants the list anew
}

// seen takes up what a list or a watch has said, and reports whether what was known before is lost.
func (n *known) seen(epoch string, revision int64) (lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	lost = n.epoch != "" && (n.epoch != epoch || revision < n.revision)
	n.epoch, n.revision = epoch, revision
	return lost
}

// doubt asks for the list anew if a probe found another epoch, or that etcd has gone back. Before the
// first list there is nothing to doubt.
func (n *known) doubt(epoch string, back bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.epoch != "" && (n.epoch != epoch || back) {
		select {
		case n.relist <- struct{}{}:
		default:
		}
	}
}

func (n *known) newest() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.revision
}

func (n *known) advanced(to int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.revision = max(n.revision, to)
}

// follow tells of all that is kept, and of every change, until ctx ends.
func (k *keeper) follow(ctx context.Context) {
	wait := newBackoff()
	for ctx.Err() == nil {
		at, err := k.list(ctx)
		if err != nil {
			k.tell(ctx, leases.OutOfTouch{Why: notAnswering(err)})
		} else {
			wait.reset()
			if err = k.watch(ctx, at+1); err != nil && ctx.Err() == nil {
				k.log.Warn("the watch of etcd has ended: all is listed anew", "error", err)
			}
		}
		wait.wait(ctx)
	}
}

// list tells of all that is kept, and returns its revision.
func (k *keeper) list(ctx context.Context) (int64, error) {
	for {
		resp, err := k.get(ctx, k.prefix, clientv3.WithPrefix())
		if err != nil {
			return 0, err
		}
		epoch, all := "", make([]leases.Entry, 0, len(resp.Kvs))
		for _, kv := range resp.Kvs {
			if e := k.entry(kv); e.Key == epochAt {
				epoch = string(e.Value)
			} else {
				all = append(all, e)
			}
		}
		if epoch != "" {
			select { // what was doubted before is answered by this list
			case <-k.known.relist:
			default:
			}
			lost := k.known.seen(epoch, resp.Header.Revision)
			k.tell(ctx, leases.Listed{Entries: all, Revision: resp.Header.Revision, Epoch: epoch, Lost: lost})
			return resp.Header.Revision, nil
		}
		tctx, cancel := context.WithTimeout(ctx, askBound)
		_, err = k.client.Txn(tctx).If(clientv3.Compare(clientv3.CreateRevision(k.prefix+epochAt), "=", 0)).
			Then(clientv3.OpPut(k.prefix+epochAt, rand.Text())).Commit()
		cancel()
		if err != nil {
			return 0, err
		}
	}
}

// watch tells of every change from a revision on, until it breaks or the list is wanted anew.
func (k *keeper) watch(ctx context.Context, from int64) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	changes := k.client.Watch(ctx, k.prefix, clientv3.WithPrefix(), clientv3.WithRev(from))
	for {
		select {
		case resp, ok := <-changes:
			if !ok {
				return fmt.Errorf("it was closed")
			}
			if err := resp.Err(); err != nil {
				return err
			}
			k.changed(ctx, resp.Events)
			k.known.advanced(resp.Header.Revision)
		case <-k.known.relist:
			return fmt.Errorf("etcd isn't what it was")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// changed tells of changes, those of one transaction together.
func (k *keeper) changed(ctx context.Context, events []*clientv3.Event) {
	var told leases.Changed
	for i, e := range events {
		if e.Type == clientv3.EventTypeDelete {
			told.Delete = append(told.Delete, strings.TrimPrefix(string(e.Kv.Key), k.prefix))
		} else {
			told.Put = append(told.Put, k.entry(e.Kv))
		}
		if told.Revision = e.Kv.ModRevision; i == len(events)-1 || events[i+1].Kv.ModRevision != told.Revision {
			k.tell(ctx, told)
			told = leases.Changed{}
		}
	}
}

func (k *keeper) entry(kv *mvccpb.KeyValue) leases.Entry {
	return leases.Entry{Key: strings.TrimPrefix(string(kv.Key), k.prefix), Value: kv.Value, Created: kv.CreateRevision,
		Version: kv.ModRevision, Session: kv.Lease}
}

// askBound is how long etcd may take for an answer.
const askBound = 3 * time.Second

func (k *keeper) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	return k.client.Get(ctx, key, opts...)
}
