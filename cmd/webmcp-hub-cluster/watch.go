package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/mcpserver"

	"webmcphub/internal/metrics"
	"webmcphub/registry"
)

// watchFlags say at which address monitoring clients ask.
type watchFlags struct {
	Watch string `placeholder:"ADDR" help:"Answer GET /metrics, /healthz, /readyz and /pressure at http://ADDR, for Prometheus, probes and autoscalers: 127.0.0.1:8809, or just a port. It asks for no token: who reaches the port may read."`
}

// These limits apply to monitoring clients, whose requests are short and few.
const (
	watchLimit      = 10 * time.Second
	watchIdle       = 2 * time.Minute
	watchGrace      = time.Second
	watchHeaderSize = 16 << 10
)

// watchPort is an open port for monitoring clients. It is nil if the flags ask for none.
type watchPort struct {
	bound net.Listener
	host  string // as given
	log   *slog.Logger
}

// open listens. Clients get no answers before serveBeside.
func (f watchFlags) open(log *slog.Logger) (*watchPort, error) {
	if f.Watch == "" {
		return nil, nil
	}
	host, addr, err := process.ListenAddress(f.Watch)
	if err != nil {
		return nil, usageError{fmt.Errorf("--watch must be an address and a port, such as 127.0.0.1:8809, not %q",
			f.Watch)}
	}
	p := &watchPort{host: host, log: log}
	if p.bound, err = net.ListenTCP("tcp", addr); err != nil {
		return nil, fmt.Errorf("--watch %s: %w; choose another port, or end the program that has it", f.Watch, err)
	}
	if !addr.IP.IsLoopback() {
		log.Warn("metrics are served beyond this computer: anybody who reaches the port may read them", "address",
			p.bound.Addr())
	}
	log.Info("metrics are served", "url", "http://"+p.bound.Addr().String()+mcpserver.MetricsPath)
	return p, nil
}

// Close closes the port, if it isn't closed yet; p may be nil.
func (p *watchPort) Close() {
	if p != nil {
		_ = p.bound.Close()
	}
}

// serveBeside answers requests until the returned function is called, which waits for the end. p may be nil.
func (p *watchPort) serveBeside(answers http.Handler) (stop func()) {
	if p == nil {
		return func() {}
	}
	server := &http.Server{Handler: mcpserver.WatchHandler(p.bound.Addr(), p.host, answers), ReadTimeout: watchLimit,
		WriteTimeout: watchLimit,
		IdleTimeout:  watchIdle, MaxHeaderBytes: watchHeaderSize,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelDebug)}
	return process.Beside(context.Background(), func(ctx context.Context) {
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(p.bound) }()
		select {
		case err := <-ended:
			p.log.Error("metrics are no longer served", "err", err)
			return
		case <-ctx.Done():
		}
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchGrace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
		<-ended
	})
}

// nodeFigures returns the metrics of the node that n returns. They call n only once the node exists.
func nodeFigures(n func() *node.Node, lends bool) *metrics.Metrics {
	return metrics.NewProcess(metrics.Process{
		Version: version, Lends: lends,
		State: func() metrics.ProcessState { return nodeStands(n().Figures()) },
		Alive: func(ctx context.Context) error {
			_, err := n().Status(ctx)
			return err
		},
		Ready: func() string { return n().NotReady() },
	})
}

func nodeStands(f node.Stats) metrics.ProcessState {
	return metrics.ProcessState{
		Load:    metrics.Load{Pages: f.Pages, Tools: f.Tools, Browsers: f.Browsers, Connected: f.BrowsersConnected},
		Running: f.Running, Gateways: f.Gateways, Lent: f.Lent,
		Limits: metrics.Pressure{
			Requests: metrics.Share{Now: f.Running, Limit: node.MaxRunning * max(1, f.Gateways)},
			Pages:    metrics.Share{Now: f.Pages, Limit: registry.DefaultMaxPages},
			Clients:  metrics.Share{Now: f.Lent, Limit: f.Own},
		},
	}
}

// gatewayFigures returns the metrics of the gateway that g returns. The gateway accepts maxClients sessions for each
// token. The metrics call g only once the gateway exists.
func gatewayFigures(g func() *gateway.Gateway, lends bool, maxClients int) *metrics.Metrics {
	return metrics.NewProcess(metrics.Process{
		Version: version, Gateway: true, Lends: lends,
		State: func() metrics.ProcessState { return gatewayStands(g().Figures(), maxClients) },
		Alive: func(ctx context.Context) error { return g().Alive(ctx) },
		Ready: func() string { return g().NotReady() },
	})
}

// gatewayStands returns a gateway's state. Its limits are those that more gateways can relieve. It compares what the
// fullest tenant has with what that tenant's tokens allow. Pages have no limit: each gateway has those of all nodes.
func gatewayStands(f gateway.Stats, maxClients int) metrics.ProcessState {
	return metrics.ProcessState{
		Load: metrics.Load{Pages: f.Pages, Tools: f.Tools, Clients: f.Clients, InFlight: f.InFlight,
			Waiting: f.Waiting, Leases: f.Leases, Browsers: f.Browsers, Connected: f.BrowsersConnected},
		Running: f.Running, Nodes: f.Nodes, NodesConnected: f.NodesAnswering, NodesLost: f.NodesLost, Lent: f.Lent,
		Queue: f.Queue,
		Limits: metrics.Pressure{
			Requests: metrics.Share{Now: f.Busiest.InFlight, Limit: mcpserver.MaxRunning * max(1, f.Busiest.Tokens)},
			Pages:    metrics.Share{Now: f.Pages},
			Clients:  metrics.Share{Now: f.Fullest.Clients, Limit: maxClients * max(1, f.Fullest.Tokens)},
		},
	}
}
