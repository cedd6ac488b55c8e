package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/names"
	"webmcphub/cluster/transport"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/registry"
)

// gatewayCmd runs a gateway.
type gatewayCmd struct {
	Name       string            `placeholder:"NAME" help:"The gateway's name, no other's: up to 32 of a-z, 0-9 and -. Default: one made up at each start. With certificates it is the one in --tls-cert."`
	Node       map[string]string `placeholder:"NAME=ADDR" help:"A node, and the host and port at which it listens. Repeatable."`
	LinkListen string            `name:"link" hidden:"" help:"Does nothing any more: nodes dial no gateway."`
	Advertise  string            `hidden:"" help:"Does nothing any more: nodes dial no gateway."`
	Web        process.HTTPFlags `embed:""`
	MaxClients int               `default:"64" placeholder:"N" help:"How many sessions over HTTP there may be at a time for each token. Further clients are refused and told when to try again."`
	MaxPages   int               `default:"2000" placeholder:"N" help:"How many pages' tools are listed for each tenant."`
	Drain      time.Duration     `default:"30s" help:"How long calls of HTTP clients that run may take to end when the gateway is told to stop. New ones are refused meanwhile. A second signal ends it at once."`

	gatewayAutomation `embed:""`

	tenantsFlag `embed:""`
	leaseFlags  `embed:""`
	tlsFlags    `embed:""`
	storeFlags  `embed:""`
	watchFlags  `embed:""`
	logFlags    `embed:""`

	policy.AuditFlags `embed:""`
	livepage.UIFlags  `embed:""`
}

func (c *gatewayCmd) validate() error {
	switch {
	case len(c.Node) == 0 && len(c.Etcd) == 0:
		return errors.New("a gateway needs nodes: --node NAME=HOST:PORT, or --etcd URL, where the gateway finds them")
	case len(c.Node) > 0 && len(c.Etcd) > 0:
		return errors.New("--node and --etcd exclude each other: with --etcd the gateway finds the nodes itself")
	}
	for name, address := range c.Node {
		if err := names.Check("node", name); err != nil {
			return fmt.Errorf("--node %s=%s: %w", name, address, err)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return fmt.Errorf("--node %s=%s must name a host and a port", name, address)
		}
		if c.CA == "" {
			if err := transport.OnLoopback(address); err != nil {
				return fmt.Errorf("--node %s=%s: %w", name, address, err)
			}
		}
	}
	if c.MaxClients < 1 || c.MaxPages < 1 {
		return errors.New("--max-clients and --max-pages must be at least 1")
	}
	if c.Drain < 0 {
		return fmt.Errorf("--drain must not be negative, but is %v", c.Drain)
	}
	return errors.Join(c.tenantsFlag.check(c.Web, c.storeFlags), c.leaseFlags.check(), c.Web.Check(), c.logFlags.Check(),
		c.AuditFlags.Check())
}

// Run serves until a signal arrives, or, if there is only a client on stdio, until that client is gone.
func (c *gatewayCmd) Run() error {
	if err := c.validate(); err != nil {
		return usageError{err}
	}
	log := c.logger()
	if c.LinkListen+c.Advertise != "" {
		log.Warn("--link and --advertise no longer do anything: gateways dial nodes, and nodes dial no gateway")
	}
	process.Tune()
	process.SurviveBrokenPipes()
	// Only the protocol may write to stdout, whatever a library prints.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(signalled, stop) // then a second signal ends the process
	ctx, fail := context.WithCancelCause(signalled)
	defer fail(nil)
	files, err := c.files()
	if err != nil {
		return err
	}
	watched, err := c.watchFlags.open(log)
	if err != nil {
		return err
	}
	defer watched.Close()
	file, overHTTP, err := c.tenantsFlag.open(c.Web, log)
	if err != nil {
		return err
	}
	defer overHTTP.Close()
	name := c.tlsFlags.name(c.Name, "gateway")
	store, err := c.storeFlags.open(name, true, c.tlsFlags, fail, log)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
	}
	var g *gateway.Gateway
	figures := gatewayFigures(func() *gateway.Gateway { return g }, store != nil, c.MaxClients)
	seen, unseen, err := c.oversee(ctx, figures, log)
	if err != nil {
		return err
	}
	defer unseen()
	rules := seen.ui.KeptOut(nil)
	g, err = gateway.Start(gateway.Options{Name: name, Store: store, Tenants: file.Tenants(),
		Limits: c.limits(file, store), TLS: files, Build: version, Logger: log,
		Automation: c.offering(rules), Oversee: seen.tenant,
		Registry: registry.Options{StableIndex: true, Origins: rules, MaxPages: c.MaxPages}})
	if err != nil {
		return err
	}
	defer g.Stop()
	if store == nil {
		g.SetNodes(c.Node)
	}
	if overHTTP != nil {
		o := &overHTTP.Options
		o.Watch, o.Drain, o.MaxSessions = figures.Handler(), c.Drain, c.MaxClients
	}
	context.AfterFunc(ctx, g.Leave)
	defer watched.serveBeside(figures.Handler())()
	defer seen.ui.Beside(ctx)()
	return c.serve(ctx, g, file, overHTTP, stdout, log)
}

// serve serves tenants over HTTP, the only tenant over stdin and stdout, or both.
func (c *gatewayCmd) serve(ctx context.Context, g *gateway.Gateway, file *TenantsFile, overHTTP *process.HTTPListener,
	stdout *os.File, log *slog.Logger) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer serveBeside(ctx, g, file, overHTTP, func(err error) {
		log.Error(err.Error())
		if !c.Web.Stdio {
			end(err)
		}
	})()
	if !c.Web.Stdio {
		<-ctx.Done()
		return ended(ctx)
	}
	process.SayWhoIsAwaited(os.Stdin, os.Stderr)
	err := g.Server("").ServeStdio(ctx, process.Stdin(), stdout)
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return err
}

// ended returns why ctx has ended. It returns nil after a signal, which is a normal end.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
