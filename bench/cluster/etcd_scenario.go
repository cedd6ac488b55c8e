package cluster

import (
	"context"
	"errors"
	"time"
)

// etcdGoes: all of etcd is frozen, then killed, then restarted.
func etcdGoes(ctx context.Context, r *run) error { return r.withoutEtcd(ctx, r.Members) }

// etcdMemberGoes: one of several members is.
func etcdMemberGoes(ctx context.Context, r *run) error { return r.withoutEtcd(ctx, 1) }

// withoutEtcd does so with the first members of etcd.
func (r *run) withoutEtcd(ctx context.Context, members int) error {
	return r.underLoad(ctx, lossBound, func(l *loadedCluster) error {
		whole := members == len(l.Etcd.Members)
		leases, err := r.leasesBefore(ctx, l.Cluster)
		if err != nil {
			return err
		}
		connections := l.Fleet.Connections()
		r.Say("etcd: %d of %d members are frozen for %d s", members, len(l.Etcd.Members), r.seconds)
		for _, m := range l.Etcd.Members[:members] {
			if err := m.Freeze(); err != nil {
				return err
			}
		}
		if err := r.meanwhile(ctx, l.Cluster, whole); err != nil {
			return err
		}
		_, err = l.AwaitRight(ctx, l.views, l.all, time.Second)
		r.Check("while etcd is frozen", err)
		late := r.requestAcross(ctx, l.Cluster, whole)
		r.Say("they go on, are killed, and are started again")
		if err := r.restartEtcd(ctx, l.Cluster, members); err != nil {
			return err
		}
		if err := sleep(ctx, 20*time.Second); err != nil { // leases of members that don't come back end meanwhile
			return err
		}
		_, err = l.AwaitRight(ctx, l.views, l.all, backBound)
		r.Check("after etcd is back", err)
		late()
		r.leasesAfter(ctx, l.Cluster, leases)
		r.noneShutOut(ctx, l.Cluster)
		if now := l.Fleet.Connections(); now != connections {
			r.Fail("nodes had %d connections to browsers before, and have made %d since: browsers were lost",
				connections, now-connections)
		}
		return r.callsWell(ctx, l, "etcd came back")
	})
}

// restartEtcd thaws the first members, kills them and starts them again.
func (r *run) restartEtcd(ctx context.Context, c *Cluster, members int) error {
	var all error
	for _, m := range c.Etcd.Members[:members] {
		all = errors.Join(all, m.Thaw(), m.Kill())
	}
	if err := sleep(ctx, 2*time.Second); err != nil {
		return err
	}
	for i := range members {
		all = errors.Join(all, c.Etcd.Restart(i))
	}
	for i := range members {
		within, cancel := context.WithTimeout(ctx, startPatience)
		all = errors.Join(all, c.Etcd.AwaitServing(within, i))
		cancel()
	}
	return all
}
