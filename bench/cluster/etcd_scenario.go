package cluster

import (
	"context"
	"errors"
	"time"
)

// etcdGoes: all of etcd is frozen, then killed, then restarted.
func etcdGoes(ctx context.Context, r *run) error {
	return r.withoutEtcd(ctx, func(c *Cluster) []int {
		all := make([]int, len(c.Etcd.Members))
		for i := range all {
			all[i] = i
		}
		return all
	})
}

// etcdMemberGoes: one of several members is.
func etcdMemberGoes(ctx context.Context, r *run) error {
	return r.withoutEtcd(ctx, func(*Cluster) []int { return []int{0} })
}

func (r *run) withoutEtcd(ctx context.Context, which func(*Cluster) []int) error {
	c, views, err := r.loaded(ctx)
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	all := Browsers(c.NodeList...)
	members := which(c)
	whole := len(members) == len(c.Etcd.Members)
	load := StartLoad(ctx, views, 2, all)
	leases, err := r.leasesBefore(ctx, c)
	if err != nil {
		return err
	}
	connections := c.Fleet.Connections()
	r.Say("etcd: %d of %d members are frozen for %d s", len(members), len(c.Etcd.Members), r.seconds)
	for _, i := range members {
		if err := c.Etcd.Members[i].Freeze(); err != nil {
			return err
		}
	}
	if err := r.meanwhile(ctx, c, whole); err != nil {
		return err
	}
	_, err = c.AwaitRight(ctx, views, all, time.Second)
	r.Check("while etcd is frozen", err)
	late := r.wishAcross(ctx, c, whole)
	r.Say("they go on, are killed, and are started again")
	if err := r.restartEtcd(ctx, c, members); err != nil {
		return err
	}
	if err := sleep(ctx, 20*time.Second); err != nil { // leases of members that don't come back end meanwhile
		return err
	}
	_, err = c.AwaitRight(ctx, views, all, backBound)
	r.Check("after etcd is back", err)
	late()
	r.leasesAfter(ctx, c, leases)
	r.noneShutOut(ctx, c)
	if now := c.Fleet.Connections(); now != connections {
		r.Fail("nodes had %d connections to browsers before, and have made %d since: browsers were lost", connections,
			now-connections)
	}
	r.judge(c, load, &outages{}, lossBound)
	r.Check("processes", c.StillRunning())
	return c.callsWell(ctx, r, views, "etcd came back")
}

// restartEtcd thaws members, kills them and starts them again.
func (r *run) restartEtcd(ctx context.Context, c *Cluster, members []int) error {
	var all error
	for _, i := range members {
		m := c.Etcd.Members[i]
		all = errors.Join(all, m.Thaw(), m.Kill())
	}
	if err := sleep(ctx, 2*time.Second); err != nil {
		return err
	}
	for _, i := range members {
		all = errors.Join(all, c.Etcd.Restart(i))
	}
	for _, i := range members {
		within, cancel := context.WithTimeout(ctx, startPatience)
		all = errors.Join(all, c.Etcd.AwaitServing(within, i))
		cancel()
	}
	return all
}
