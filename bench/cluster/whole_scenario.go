package cluster

import (
	"context"
	"fmt"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/internal/proctest"
)

// whole: many browsers are one list.
func whole(ctx context.Context, r *run) error {
	begun := time.Now()
	c, err := r.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	views := c.Views(ctx, agent.Modern)
	defer closeAll(views)
	all := Browsers(c.NodeList...)
	right, err := c.AwaitRight(ctx, views, all, 3*time.Minute)
	if err != nil {
		r.Check("the list at the start", err)
		return nil
	}
	list := views[0].now().list
	r.Figure("browsers, tools", "%d on %d nodes, %d", len(all), len(c.NodeList), len(list.Names))
	r.Figure("start until the list is right on all gateways", "%s", short(right.Sub(begun)))
	for _, v := range views {
		now := v.now()
		r.Figure(fmt.Sprintf("the list of gateway %d", v.Gateway), "%.1f MiB in %s, %d so far", mib(int64(list.Bytes)),
			short(now.took), now.lists)
	}
	r.sameNames(views)
	r.callEach(ctx, c, views)
	if err := r.rest(ctx, c); err != nil {
		return err
	}
	_, err = c.AwaitRight(ctx, views, all, 10*time.Second)
	r.Check("the list at the end", err)
	r.Check("processes", c.StillRunning())
	return nil
}

// sameNames holds the names that gateways give to the same tools against each other: a client that
// goes on at another gateway knows them.
func (r *run) sameNames(views []*View) {
	first := views[0].now().list
	for _, v := range views[1:] {
		list := v.now().list
		differ, such := 0, ""
		for own, name := range first.Names {
			if list.Names[own] != name {
				differ, such = differ+1, fmt.Sprintf("%s and %s", name, list.Names[own])
			}
		}
		if differ > 0 {
			r.Fail("%d of %d tools have other names at gateway %d than at gateway 0, such as %s", differ,
				len(first.Names), v.Gateway, such)
		}
	}
}

func closeAll(views []*View) {
	for _, v := range views {
		v.Close()
	}
}

// callEach calls one browser of each node by each gateway.
func (r *run) callEach(ctx context.Context, c *Cluster, views []*View) {
	var took []time.Duration
	for _, v := range views {
		for i, n := range c.NodeList {
			call := one(ctx, v, n.Browsers[i%len(n.Browsers)], v.Name(fleet.Echo(n.Browsers[i%len(n.Browsers)])),
				fmt.Sprintf("hello %d", i))
			if call.Err != nil {
				r.Fail("%v", call)
				continue
			}
			took = append(took, call.Ended.Sub(call.Begun))
		}
	}
	r.Figure("calls, one at a time", "p50 %s, p99 %s of %d", short(Quantile(took, 0.5)), short(Quantile(took, 0.99)),
		len(took))
}

// rest measures what the processes take while nothing happens.
func (r *run) rest(ctx context.Context, c *Cluster) error {
	etcd, nodes, gateways := c.Processes()
	groups := map[string][]*proctest.Process{"etcd": etcd, "nodes": nodes, "gateways": gateways}
	r.Say("resting for %d s", r.seconds)
	if err := sleep(ctx, 2*time.Second); err != nil { // what has begun ends
		return err
	}
	before := map[string]proctest.Usage{}
	for name, group := range groups {
		u, err := proctest.Total(group)
		if err != nil {
			return err
		}
		before[name] = u
	}
	if err := sleep(ctx, time.Duration(r.seconds)*time.Second); err != nil {
		return err
	}
	for _, name := range []string{"nodes", "gateways", "etcd"} {
		u, err := proctest.Total(groups[name])
		if err != nil {
			return err
		}
		since, n := u.Minus(before[name]), len(groups[name])
		r.Figure(fmt.Sprintf("%d %s: memory (RSS)", n, name), "%.0f MiB, %.0f each", mib(u.RSS), mib(u.RSS)/float64(n))
		r.Figure(fmt.Sprintf("%d %s: processor at rest", n, name), "%.1f %% of one core",
			100*since.CPU.Seconds()/float64(r.seconds))
	}
	return nil
}

// sleep waits for so long.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
