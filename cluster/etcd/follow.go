package etcd

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"webmcphub/cluster/leases"
)

// epochAt is the key that shows whether etcd has lost its data. A process that finds no such key puts one, with a
// value that it never had before.
const epochAt = "epoch"

// probed is the result of a probe: the epoch, and whether etcd's revision is older than one that was known before.
type probed struct {
	epoch string
	back  bool
}

// follow reports all entries, and then every change, until ctx ends.
func (k *backend) follow(ctx context.Context) {
	wait := newBackoff()
	for ctx.Err() == nil {
		if err := k.list(ctx); err != nil {
			k.tell(leases.OutOfTouch{Why: notAnswering(err)})
		} else {
			wait.reset()
			if err = k.watch(ctx); err != nil && ctx.Err() == nil {
				k.log.Warn("the watch of etcd has ended: all entries are listed again", "error", err)
			}
		}
		wait.wait(ctx)
	}
}

// list reports all entries. If there is no epoch yet, it puts one first.
func (k *backend) list(ctx context.Context) error {
	for {
		resp, err := k.get(ctx, k.prefix, clientv3.WithPrefix())
		if err != nil {
			return err
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
			select { // this list is newer than an earlier probe
			case <-k.probed:
			default:
			}
			now := resp.Header.Revision
			lost := k.epoch != "" && (k.epoch != epoch || now < k.revision.Load())
			k.epoch = epoch
			k.revision.Store(now)
			k.tell(leases.Listed{Entries: all, Revision: now, Epoch: epoch, Lost: lost})
			return nil
		}
		tctx, cancel := context.WithTimeout(ctx, askBound)
		_, err = k.client.Txn(tctx).If(clientv3.Compare(clientv3.CreateRevision(k.prefix+epochAt), "=", 0)).
			Then(clientv3.OpPut(k.prefix+epochAt, rand.Text())).Commit()
		cancel()
		if err != nil {
			return err
		}
	}
}

// watch reports every change since the list, until the watch ends or a probe finds that etcd has to be listed again.
func (k *backend) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	changes := k.client.Watch(ctx, k.prefix, clientv3.WithPrefix(), clientv3.WithRev(k.revision.Load()+1))
	for {
		select {
		case resp, ok := <-changes:
			if !ok {
				return fmt.Errorf("etcd's client has closed it")
			}
			if err := resp.Err(); err != nil {
				return err
			}
			k.changed(resp.Events)
			k.revision.Store(max(k.revision.Load(), resp.Header.Revision))
		case p := <-k.probed:
			if p.epoch != k.epoch || p.back {
				return fmt.Errorf("etcd has lost data")
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// changed reports changes, those of one transaction together.
func (k *backend) changed(events []*clientv3.Event) {
	var change leases.Changed
	for i, e := range events {
		if e.Type == clientv3.EventTypeDelete {
			change.Delete = append(change.Delete, strings.TrimPrefix(string(e.Kv.Key), k.prefix))
		} else {
			change.Put = append(change.Put, k.entry(e.Kv))
		}
		if change.Revision = e.Kv.ModRevision; i == len(events)-1 || events[i+1].Kv.ModRevision != change.Revision {
			k.tell(change)
			change = leases.Changed{}
		}
	}
}

func (k *backend) entry(kv *mvccpb.KeyValue) leases.Entry {
	return leases.Entry{Key: strings.TrimPrefix(string(kv.Key), k.prefix), Value: kv.Value, Created: kv.CreateRevision,
		Version: kv.ModRevision, Session: kv.Lease}
}

// askBound is how long etcd may take to answer.
const askBound = 3 * time.Second

func (k *backend) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	return k.client.Get(ctx, key, opts...)
}
