package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Process is a process of a cluster, a node or a gateway, as it says itself how it stands. Any
// goroutine may call its functions, also at the same time.
type Process struct {
	Version string
	// Stands says what there is now. It doesn't wait.
	Stands func() Standing
	// Alive gives nil when the process has answered from within, where its state is owned; else
	// why not, at the latest when its context ends.
	Alive func(context.Context) error
	// Ready says why the process is not ready, "" if it is. Anybody may read it.
	Ready func() (why string)
	// Gateway says that it is a gateway, and Lends that a store is there by which browsers are lent.
	Gateway, Lends bool
}

// Standing is what a process of a cluster has to carry now.
type Standing struct {
	Load
	Running int // requests that a node carries out, or that a gateway has under way at its nodes
	// Limits are the shares of what the process can carry, without the highest of them.
	Limits   Pressure
	Gateways int // that talk with the node

	// Of a gateway: how many nodes it knows, how many of them answer, and how often it has lost one.
	Nodes, NodesConnected, NodesLost int
	// Lent is how many browsers are leased, at the node or in the cluster, and Queue, at a gateway,
	// how many wishes wait for one.
	Lent, Queue int
}

// NewProcess makes the figures of a process of a cluster that has done nothing yet.
func NewProcess(p Process) *Metrics {
	m := begin(p.Version)
	m.asks = asks{
		load:     func() Load { return p.Stands().Load },
		pressure: func() Pressure { return pressed(p.Stands().Limits) },
		alive:    p.Alive, ready: p.Ready,
	}
	add := func(name, help string, of func(Standing) int) {
		m.all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
			func() float64 { return float64(of(p.Stands())) }))
	}
	m.pagesAndBrowsers()
	add("requests_running", "Requests that gateways have under way at nodes.",
		func(s Standing) int { return s.Running })
	if p.Gateway {
		m.clients()
		add("nodes", "Nodes that the gateway knows.", func(s Standing) int { return s.Nodes })
		add("nodes_connected", "Those that answer.", func(s Standing) int { return s.NodesConnected })
		m.all.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace,
			Name: "nodes_lost_total",
			Help: "Times at which the gateway has lost a node that was not leaving."},
			func() float64 { return float64(p.Stands().NodesLost) }))
	} else {
		add("gateways_connected", "Gateways that talk with the node.", func(s Standing) int { return s.Gateways })
	}
	if p.Lends {
		add("browser_leases", "Browsers that are leased: the node's, or by a gateway's word all of the cluster.",
			func(s Standing) int { return s.Lent })
		if p.Gateway {
			add("browser_queue", "Wishes for a browser that wait.", func(s Standing) int { return s.Queue })
		}
	}
	return m
}

// Ended takes a call of a page's tool that a node has carried out.
func (m *Metrics) Ended(outcome string, took time.Duration) {
	m.calls.WithLabelValues("page", outcome).Inc()
	m.took.WithLabelValues("page").Observe(took.Seconds())
}
