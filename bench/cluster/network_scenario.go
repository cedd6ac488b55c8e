package cluster

import (
	"context"
	"fmt"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/internal/proxytest"
)

// silenceBound is how long a peer that says nothing may be listed: 5 s, in which signs of life are
// awaited, and what it takes to notice.
const silenceBound = 8 * time.Second

// ways are the proxies before the nodes of a cluster, which all gateways dial.
type ways struct{ all []*proxytest.Proxy }

// before puts a proxy before an address.
func (w *ways) before(listens string) (string, error) {
	p, err := proxytest.Listen("", listens)
	if err != nil {
		return "", err
	}
	w.all = append(w.all, p)
	return p.Addr(), nil
}

func (w *ways) close() {
	for _, p := range w.all {
		p.Close()
	}
}

// trouble is one way in which the network breaks.
type trouble struct {
	name    string
	way     proxytest.Way
	at      []*proxytest.Proxy
	loses   func(gateway int) []*Node // whose tools go from a gateway's list
	within  time.Duration
	outages func(*outages) []*outage // which calls may fail
}

// network: the way between nodes and gateways breaks in several ways.
func network(ctx context.Context, r *run) error {
	var w ways
	defer w.close() // after the processes
	c, views, err := r.loaded(ctx, func(o *Options) { o.Between = w.before })
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	var lost outages
	load := StartLoad(ctx, views, 2, Browsers(c.NodeList...))
	for _, t := range troubles(c, &w) {
		if err := r.breakNetwork(ctx, c, views, t, &lost); err != nil {
			return err
		}
	}
	r.judge(c, load, &lost, silenceBound)
	r.Check("processes", c.StillRunning())
	return nil
}

func troubles(c *Cluster, w *ways) []trouble {
	first := c.NodeList[0]
	node := func(int) []*Node { return []*Node{first} }
	ofNode := func(o *outages) []*outage { return []*outage{o.node(first)} }
	ofAll := func(o *outages) (all []*outage) {
		for _, n := range c.NodeList {
			all = append(all, o.node(n))
		}
		return all
	}
	none := func(*outages) []*outage { return nil }
	return []trouble{
		{"slow everywhere", proxytest.Slow, w.all, func(int) []*Node { return nil }, silenceBound, none},
		{"connections to a node break", proxytest.Refused, w.all[:1], node, lossBound, ofNode},
		{"a node hears nothing", proxytest.Cut, w.all[:1], node, silenceBound, ofNode},
		{"one way: nodes are heard, and hear nothing", proxytest.ToCaller, w.all,
			func(int) []*Node { return c.NodeList }, silenceBound, ofAll},
		{"cut everywhere", proxytest.Cut, w.all, func(int) []*Node { return c.NodeList }, silenceBound, ofAll},
	}
}

// breakNetwork makes one trouble and ends it.
func (r *run) breakNetwork(ctx context.Context, c *Cluster, views []*View, t trouble, lost *outages) error {
	r.Say("%s for %d s", t.name, r.seconds)
	out := t.outages(lost) // first: calls fail from then on
	begun := time.Now()
	for _, p := range t.at {
		p.Set(t.way)
	}
	var gone []time.Duration
	for _, v := range views {
		truth := c.Fleet.Truth(c.others(t.loses(v.Gateway)...)...)
		within, cancel := context.WithTimeout(ctx, t.within+2*time.Second)
		came, err := v.Await(within, func(l *agent.List) error { return l.Against(truth) })
		cancel()
		r.Check(t.name, err)
		gone = append(gone, max(0, came.Sub(begun)))
	}
	r.AtMost(t.name+": no stale tool", t.within, gone)
	if err := sleep(ctx, time.Until(begun.Add(time.Duration(r.seconds)*time.Second))); err != nil {
		return err
	}
	for _, p := range t.at {
		p.Set(proxytest.Open)
	}
	again := time.Now()
	right, err := c.AwaitRight(ctx, views, Browsers(c.NodeList...), backBound)
	r.Check(t.name+": afterwards", err)
	r.Figure(t.name+": all is back, without doubles", "%s after it was over", short(max(0, right.Sub(again))))
	for _, one := range out {
		lost.over(one)
	}
	return c.callsWell(ctx, r, views, t.name)
}

// callsWell calls one browser of each node by each gateway, which must answer.
func (c *Cluster) callsWell(ctx context.Context, r *run, views []*View, when string) error {
	for _, v := range views {
		for _, n := range c.NodeList {
			if call := one(ctx, v, n.Browsers[0], v.Name(fleet.Echo(n.Browsers[0])),
				fmt.Sprintf("after %s", when)); call.Err != nil {
				r.Fail("after %s: %v", when, call)
			}
		}
	}
	return ctx.Err()
}
