package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Process is a process of a cluster, a node or a gateway, which reports its own state. Its functions may be called
// from any goroutine, also concurrently.
type Process struct {
	Version string
	// State returns the current state. It doesn't wait.
	State func() ProcessState
	// Alive returns nil when the goroutine that owns the process's state has answered. If its context ends first,
	// Alive returns an error.
	Alive func(context.Context) error
	// Ready says why the process is not ready, or returns "". Anybody may read the text.
	Ready func() (why string)
	// Gateway says that it is a gateway, and Lends that there is a store by which browsers are leased.
	Gateway, Lends bool
}

// ProcessState is the current load of a process of a cluster.
type ProcessState struct {
	Load
	Running int // requests that a node carries out, or that a gateway has pending at its nodes
	// Limits are the shares of the process's capacity. Their member Pressure is not set.
	Limits   Pressure
	Gateways int // connected to the node

	// For a gateway: how many nodes it knows, how many of them answer, and how often it has lost one.
	Nodes, NodesConnected, NodesLost int
	// Lent is how many browsers are leased, at the node or in the cluster. Queue, at a gateway, is how many requests
	// for a browser wait.
	Lent, Queue int
}

// NewProcess returns the metrics of a process of a cluster that has done nothing yet.
func NewProcess(p Process) *Metrics {
	m := begin(p.Version)
	m.asks = asks{
		load:     func() Load { return p.State().Load },
		pressure: func() Pressure { return pressed(p.State().Limits) },
		alive:    p.Alive, ready: p.Ready,
	}
	add := func(name, help string, of func(ProcessState) int) {
		m.all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
			func() float64 { return float64(of(p.State())) }))
	}
	m.pagesAndBrowsers()
	add("requests_running", "Requests that gateways have under way at nodes.",
		func(s ProcessState) int { return s.Running })
	if p.Gateway {
		m.clients()
		add("nodes", "Nodes that the gateway knows.", func(s ProcessState) int { return s.Nodes })
		add("nodes_connected", "Those that answer.", func(s ProcessState) int { return s.NodesConnected })
		m.all.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace,
			Name: "nodes_lost_total",
			Help: "Times at which the gateway has lost a node that was not leaving."},
			func() float64 { return float64(p.State().NodesLost) }))
	} else {
		add("gateways_connected", "Gateways that talk with the node.", func(s ProcessState) int { return s.Gateways })
	}
	if p.Lends {
		add("browser_leases", "Browsers that are leased: the node's, or by a gateway's word all of the cluster.",
			func(s ProcessState) int { return s.Lent })
		if p.Gateway {
			add("browser_queue", "Wishes for a browser that wait.", func(s ProcessState) int { return s.Queue })
		}
	}
	return m
}

// Ended records a call of a page's tool that a node has carried out.
func (m *Metrics) Ended(outcome string, took time.Duration) {
	m.calls.WithLabelValues("page", outcome).Inc()
	m.took.WithLabelValues("page").Observe(took.Seconds())
}
