package cluster

import (
	"context"
	"fmt"
	"time"

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
	name   string
	way    proxytest.Way
	at     []*proxytest.Proxy
	loses  []*Node // whose tools go from the lists, and whose calls may fail
	within time.Duration
}

// network: the way between nodes and gateways breaks in several ways.
func network(ctx context.Context, r *run) error {
	var w ways
	defer w.close() // after the processes
	return r.underLoad(ctx, silenceBound, func(l *loadedCluster) error {
		first := l.NodeList[:1]
		for _, t := range []trouble{
			{"slow everywhere", proxytest.Slow, w.all, nil, silenceBound},
			{"connections to a node break", proxytest.Refused, w.all[:1], first, lossBound},
			{"a node hears nothing", proxytest.Cut, w.all[:1], first, silenceBound},
			{"one way: nodes are heard, and hear nothing", proxytest.ToCaller, w.all, l.NodeList, silenceBound},
			{"cut everywhere", proxytest.Cut, w.all, l.NodeList, silenceBound},
		} {
			if err := r.breakNetwork(ctx, l, t); err != nil {
				return err
			}
		}
		return nil
	}, func(o *Options) { o.Between = w.before })
}

// breakNetwork makes one trouble and ends it.
func (r *run) breakNetwork(ctx context.Context, l *loadedCluster, t trouble) error {
	r.Say("%s for %d s", t.name, r.seconds)
	var out []*outage
	for _, n := range t.loses { // first: calls fail from then on
		out = append(out, l.lost.node(n))
	}
	begun := time.Now()
	for _, p := range t.at {
		p.Set(t.way)
	}
	gone := r.awaitGone(ctx, l, begun, t.within+2*time.Second, t.name, t.loses...)
	r.AtMost(t.name+": no stale tool", t.within, gone)
	if err := sleep(ctx, time.Until(begun.Add(time.Duration(r.seconds)*time.Second))); err != nil {
		return err
	}
	for _, p := range t.at {
		p.Set(proxytest.Open)
	}
	again := time.Now()
	right, err := l.AwaitRight(ctx, l.views, l.all, backBound)
	r.Check(t.name+": afterwards", err)
	r.Figure(t.name+": all is back, without doubles", "%s after it was over", short(max(0, right.Sub(again))))
	for _, one := range out {
		l.lost.over(one)
	}
	return r.callsWell(ctx, l, t.name)
}

// callsWell calls one browser of each node by each gateway, which must answer.
func (r *run) callsWell(ctx context.Context, l *loadedCluster, when string) error {
	for _, v := range l.views {
		for _, n := range l.NodeList {
			if call := one(ctx, v, n.Browsers[0], v.Name(fleet.Echo(n.Browsers[0])),
				fmt.Sprintf("after %s", when)); call.Err != nil {
				r.Fail("after %s: %v", when, call)
			}
		}
	}
	return ctx.Err()
}
