package cluster

import (
	"sync"
	"time"
)

// outages are when which nodes or gateways were not there. A call that met one may fail, if it
// is answered with the reason in time.
type outages struct {
	mu  sync.Mutex
	all []*outage
}

type outage struct {
	node    *Node // nil if it is a gateway's
	gateway int   // whose, or which alone lost the node; -1 if all did
	from    time.Time
	to      time.Time // zero while it lasts
}

func (o *outages) node(n *Node) *outage { return o.add(&outage{node: n, gateway: -1}) }

func (o *outages) gateway(i int) *outage { return o.add(&outage{gateway: i}) }

func (o *outages) add(one *outage) *outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	one.from = time.Now()
	o.all = append(o.all, one)
	return one
}

// over ends an outage.
func (o *outages) over(one *outage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one.to = time.Now()
}

// met is the outage that a call met, nil if it met none.
func (o *outages) met(c *Cluster, call Call) *outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.all {
		there := (one.gateway < 0 || one.gateway == call.Gateway) &&
			(one.node == nil || one.node == c.NodeOf(call.Browser))
		if there && call.Ended.After(one.from) && (one.to.IsZero() || call.Begun.Before(one.to)) {
			return one
		}
	}
	return nil
}

// judge tells of the calls of a load: those that failed without an outage, and those that failed
// by one, which must have been answered with the reason within the bound. Where a gateway has
// gone its clients' connections break, which is no answer: they go elsewhere.
func (r *run) judge(c *Cluster, l *Load, o *outages, bound time.Duration) {
	failed := l.Stop()
	var excused []time.Duration
	bad, gateways := 0, 0
	for _, call := range failed {
		one := o.met(c, call)
		switch {
		case one == nil:
			bad++
			r.Fail("%v", call)
		case one.node == nil:
			gateways++
		case !call.Answered():
			bad++
			r.Fail("without a reason: %v", call)
		default:
			since := call.Begun
			if one.from.After(since) {
				since = one.from
			}
			excused = append(excused, call.Ended.Sub(since))
		}
	}
	good := l.Good()
	r.Figure("calls meanwhile", "%d good (p50 %s, p99 %s), %d failed", len(good), short(Quantile(good, 0.5)),
		short(Quantile(good, 0.99)), bad)
	if len(good) == 0 {
		r.Fail("no call was answered well")
	}
	if len(excused) > 0 {
		r.AtMost("calls of what was lost, answered with the reason", bound, excused)
	}
	if gateways > 0 {
		r.Figure("calls that a lost gateway's clients made", "%d were not answered", gateways)
	}
}
