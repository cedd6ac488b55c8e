package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/cluster/node"
	"webmcphub/cmd/webmcp-hub/browsers"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/registry"
)

// nodeCmd runs a node.
type nodeCmd struct {
	Name      string            `required:"" placeholder:"NAME" help:"The node's name, no other's: up to 32 of a-z, 0-9 and -."`
	Listen    string            `default:"127.0.0.1:7700" placeholder:"ADDR" help:"Where gateways reach the node. Beyond loopback with --tls-ca, --tls-cert and --tls-key only."`
	Advertise string            `placeholder:"ADDR" help:"The host and port by which gateways reach the node, where that is another than --listen."`
	Label     map[string]string `placeholder:"K=V" help:"A label of all browsers of the node, by which agents choose. Repeatable."`
	Drain     time.Duration     `default:"30s" help:"How long calls that run may take to end when the node leaves: at SIGTERM, and at \"cluster drain\"."`

	nodeAutomation `embed:""`

	browserFlags `embed:""`
	tlsFlags     `embed:""`
	storeFlags   `embed:""`
	watchFlags   `embed:""`
	logFlags     `embed:""`
}

// browserFlags name a node's browsers.
type browserFlags struct {
	BrowserURL     []string      `name:"browser-url" sep:"none" placeholder:"URL" help:"Attach to a Chrome that was started with --remote-debugging-port. Repeatable. Such a browser is its user's: it is never lent."`
	WSEndpoint     []string      `name:"ws-endpoint" sep:"none" placeholder:"URL" help:"Attach to this DevTools websocket. Repeatable, as --browser-url."`
	Browsers       string        `type:"path" placeholder:"FILE" help:"Attach to the browsers that this file lists (YAML or JSON); it is read again when it changes. See docs/browsers.md."`
	Pool           int           `placeholder:"N" help:"Start so many Chromes, chrome-1 to chrome-N, without windows, each with a profile of its own that is thrown away: these are lent to tenants."`
	ExecutablePath string        `type:"path" placeholder:"FILE" help:"The Chrome to start."`
	ChromeArg      []string      `sep:"none" placeholder:"ARG" help:"Pass this argument to the Chromes that are started. Repeatable."`
	Health         time.Duration `default:"5s" help:"How often each browser is asked whether it lives. One of the pool that doesn't answer three times is started afresh."`
}

func (c *nodeCmd) validate() error {
	for k, v := range c.Label {
		if why := registry.BrowserLabelError(k + "=" + v); why != "" {
			return fmt.Errorf("--label %s=%s: %s", k, v, why)
		}
	}
	return errors.Join(c.nodeAutomation.check(), c.browserFlags.validate(), c.logFlags.Check())
}

func (f browserFlags) validate() error {
	switch {
	case f.Pool < 0 || f.Pool > 1000:
		return fmt.Errorf("--pool must be from 0 to 1000, not %d", f.Pool)
	case f.Pool == 0 && len(f.BrowserURL)+len(f.WSEndpoint) == 0 && f.Browsers == "":
		return errors.New("a node needs browsers: --pool, --browser-url, --ws-endpoint or --browsers")
	}
	return browsers.Of(f.BrowserURL, f.WSEndpoint, nil).Validate()
}

// Run runs the node until a signal arrives, or until it has left.
func (c *nodeCmd) Run() error {
	if err := c.validate(); err != nil {
		return usageError{err}
	}
	log := c.logger()
	process.Tune()
	files, err := c.files()
	if err != nil {
		return err
	}
	watched, err := c.watchFlags.open(log)
	if err != nil {
		return err
	}
	defer watched.Close()
	attached, err := browsers.Open(browsers.Options{File: c.Browsers,
		Given: browsers.Of(c.BrowserURL, c.WSEndpoint, nil), Log: log})
	if err != nil {
		return err
	}
	defer attached.Close()
	refused, refuse := context.WithCancelCause(context.Background())
	defer refuse(nil)
	store, err := c.storeFlags.open(c.Name, false, c.tlsFlags, refuse, log)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
	}
	tracer, traced, err := c.logFlags.Start("webmcp-hub-node", version, log)
	if err != nil {
		return err
	}
	defer traced()
	pool := c.pool(log)
	var n *node.Node
	figures := nodeFigures(func() *node.Node { return n }, store != nil)
	n, err = node.Start(node.Options{
		Name: c.Name, Listen: c.Listen, Advertise: c.Advertise, TLS: files, Labels: c.Label, Store: store,
		Browsers: append(pool, others(attached.Browsers())...),
		Hub:      actors.Options{Policy: tab.Policy{Dialogs: c.dialogs()}},
		Called:   figures.Ended, Automation: c.serving(log),
		Build: version, Drain: c.Drain, Health: c.Health, Trace: tracer.Span, Logger: log,
	})
	if err != nil {
		return err
	}
	defer n.Stop()
	defer watched.serveBeside(figures.Handler())()
	attached.Follow(func(all []actors.BrowserOptions) { n.SetBrowsers(append(pool, others(all)...)) })
	log.Info("the node is ready for gateways", "node", c.Name, "address", n.Addr(), "browsers",
		len(pool)+len(attached.Browsers()))
	return c.untilLeft(n, refused, log)
}

// untilLeft waits until the node has left, or until the store refuses the node as a member. The first signal makes the
// node leave, and the second one ends it.
func (c *nodeCmd) untilLeft(n *node.Node, refused context.Context, log *slog.Logger) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	draining := false
	for {
		select {
		case s := <-signals:
			if draining {
				log.Warn("stopping at once")
				return nil
			}
			draining = true
			n.Drain("it was told to stop (" + s.String() + ")")
		case <-n.Left():
			return nil
		case err := <-n.Failed():
			return err
		case <-refused.Done():
			return context.Cause(refused)
		}
	}
}

// others returns the browsers that the node attaches to.
func others(all []actors.BrowserOptions) (list []node.Browser) {
	for _, b := range all {
		list = append(list, node.Browser{BrowserOptions: b})
	}
	return list
}

// pool returns the browsers that the node starts itself.
func (c *nodeCmd) pool(log *slog.Logger) (all []node.Browser) {
	for i := range c.Pool {
		name := "chrome-" + strconv.Itoa(i+1)
		all = append(all, node.Browser{Own: true, BrowserOptions: actors.BrowserOptions{
			NamedBrowser: registry.NamedBrowser{Name: name}, Key: "pool\n" + name,
			ConnectOptions: actors.ConnectOptions{Dialer: starter{launch.Options{ExecutablePath: c.ExecutablePath,
				Headless: true,
				Args:     c.ChromeArg, Logger: log}}},
		}})
	}
	return all
}

// starter starts a Chrome with a temporary profile.
type starter struct{ launch.Options }

// Dial starts a Chrome.
func (s starter) Dial(ctx context.Context) (cdpclient.Wire, error) {
	c, err := launch.Start(ctx, s.Options)
	if err != nil {
		return nil, err
	}
	return started{c.Watched(), c}, nil
}

// started is the wire to a Chrome that ends when the wire is closed.
type started struct {
	cdpclient.Wire
	chrome *launch.Chrome
}

// LastID calls [launch.Chrome.LastID].
func (s started) LastID() uint64 { return s.chrome.LastID() }

// Close ends Chrome and removes its profile.
func (s started) Close() error { return s.chrome.Close() }
