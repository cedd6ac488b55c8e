package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/internal/metrics"
	"webmcphub/mcpserver"
	"webmcphub/registry"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// lateChrome is a fake Chrome that is there once it is let.
type lateChrome struct {
	*cdptest.Browser
	let chan struct{}
}

func (c lateChrome) Dial(ctx context.Context) (cdpclient.Wire, error) {
	select {
	case <-c.let:
		return c.Connect(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newLateChrome(t *testing.T) lateChrome {
	c := lateChrome{cdptest.New(), make(chan struct{})}
	t.Cleanup(c.Die)
	return c
}

// watchedNode starts a node of that Chrome, with what it tells those who watch it.
func watchedNode(t *testing.T, store *leases.Store, all ...node.Browser) (*node.Node, *metrics.Metrics) {
	var n *node.Node
	m := nodeFigures(func() *node.Node { return n }, store != nil)
	var err error
	n, err = node.Start(node.Options{Name: "one", Listen: "127.0.0.1:0", Store: store, Browsers: all, Called: m.Ended})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	return n, m
}

func own(d actors.Dialer) node.Browser {
	return node.Browser{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "chrome-1"}, ConnectOptions: actors.ConnectOptions{Dialer: d}, Key: "1"}}
}

func ask(m *metrics.Metrics, path string) (status int, text string) {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// comes asks until the answer is as wanted.
func comes(t *testing.T, m *metrics.Metrics, path string, status int, has ...string) {
	t.Helper()
	late := time.After(patience)
	for {
		code, text := ask(m, path)
		missing := ""
		for _, h := range has {
			if !strings.Contains(text, h) {
				missing = h
			}
		}
		if code == status && missing == "" {
			return
		}
		select {
		case <-late:
			t.Fatalf("%s gives %d, without %q: %s", path, code, missing, text)
		case <-time.After(5 * time.Millisecond): // nobody tells when figures change
		}
	}
}

// A node is ready once a browser of its has been reached and it is a member; not while it leaves,
// when it is still alive; and when it has stopped, it is not.
func TestNodeProbes(t *testing.T) {
	chrome := newLateChrome(t)
	log := slog.New(slog.DiscardHandler)
	store := leasetest.NewMemory().Open(leases.Options{Name: "node-one"}, log)
	t.Cleanup(store.Close)
	n, m := watchedNode(t, store, own(chrome))
	comes(t, m, mcpserver.HealthPath, 200)
	comes(t, m, mcpserver.ReadyPath, 503, "no browser has been reached yet")
	comes(t, m, mcpserver.MetricsPath, 200, "\nwebmcp_hub_browsers 1\n", "\nwebmcp_hub_browsers_connected 0\n")
	close(chrome.let)
	comes(t, m, mcpserver.ReadyPath, 200)
	chrome.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys"})
	comes(t, m, mcpserver.MetricsPath, 200, "\nwebmcp_hub_browsers_connected 1\n", "\nwebmcp_hub_pages 1\n", "\nwebmcp_hub_tools 1\n",
		"\nwebmcp_hub_gateways_connected 0\n", "\nwebmcp_hub_requests_running 0\n", "\nwebmcp_hub_browser_leases 0\n", "\nwebmcp_hub_pressure 0.0005\n", "webmcp_hub_build_info{")
	var p struct {
		Pressure                 *float64
		Requests, Pages, Clients struct{ Now, Limit int }
	}
	_, text := ask(m, mcpserver.PressurePath)
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Pressure == nil || p.Pages.Now != 1 || p.Clients.Limit != 1 {
		t.Errorf("the pressure is %s (%v)", text, err)
	}
	n.Drain("a test has it leave")
	comes(t, m, mcpserver.ReadyPath, 503, "leaving")
	comes(t, m, mcpserver.HealthPath, 200)
	n.Stop()
	comes(t, m, mcpserver.HealthPath, 503)
}

// A gateway is ready once it has heard of its nodes, and until it stops; it says what they have, and
// how often it lost one that was not leaving.
func TestGatewayProbes(t *testing.T) {
	chrome := newLateChrome(t)
	n, _ := watchedNode(t, nil, own(chrome))
	var g *gateway.Gateway
	m := gatewayFigures(func() *gateway.Gateway { return g }, true, 64)
	var err error
	g, err = gateway.Start(gateway.Options{Name: "gate"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	comes(t, m, mcpserver.HealthPath, 200)
	comes(t, m, mcpserver.ReadyPath, 503, "no node has answered yet")
	g.SetNodes(map[string]string{"one": n.Addr()})
	comes(t, m, mcpserver.ReadyPath, 200)
	close(chrome.let)
	chrome.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys"})
	comes(t, m, mcpserver.MetricsPath, 200, "\nwebmcp_hub_nodes 1\n", "\nwebmcp_hub_nodes_connected 1\n", "\nwebmcp_hub_browsers 1\n", "\nwebmcp_hub_browsers_connected 1\n",
		"\nwebmcp_hub_pages 1\n", "\nwebmcp_hub_tools 1\n", "\nwebmcp_hub_browser_leases 0\n", "\nwebmcp_hub_browser_queue 0\n", "\nwebmcp_hub_clients 0\n", "\nwebmcp_hub_pressure 0\n")
	n.Stop()
	comes(t, m, mcpserver.MetricsPath, 200, "\nwebmcp_hub_nodes_lost_total 1\n", "\nwebmcp_hub_nodes_connected 0\n", "\nwebmcp_hub_pages 0\n", "\nwebmcp_hub_browsers_connected 0\n")
	g.SetNodes(nil)
	comes(t, m, mcpserver.MetricsPath, 200, "\nwebmcp_hub_nodes 0\n", "\nwebmcp_hub_nodes_lost_total 1\n", "\nwebmcp_hub_browsers 0\n")
	g.Stop()
	comes(t, m, mcpserver.HealthPath, 503)
	comes(t, m, mcpserver.ReadyPath, 503, "stopping")
}

// A gateway with a store is ready once that has said which nodes there are.
func TestGatewayReady(t *testing.T) {
	of := leases.Options{Name: "gateway-gate"}
	backend := leasetest.NewMemory().Backend(of)
	for _, c := range []struct {
		backend leases.Backend
		status  int
	}{{deaf{backend}, 503}, {backend, 200}} {
		store := leases.Open(c.backend, of, slog.New(slog.DiscardHandler))
		t.Cleanup(store.Close)
		var g *gateway.Gateway
		m := gatewayFigures(func() *gateway.Gateway { return g }, true, 64)
		var err error
		g, err = gateway.Start(gateway.Options{Name: "gate", Store: store})
		if err != nil {
			t.Fatal(err)
		}
		comes(t, m, mcpserver.ReadyPath, c.status)
		g.Stop()
	}
}

// deaf is a backend that tells nothing.
type deaf struct{ leases.Backend }

func (deaf) Run(ctx context.Context, _ func(leases.Event)) { <-ctx.Done() }

// A node whose store says nothing is no member; one of which no browser is wanted is ready.
func TestNodeReady(t *testing.T) {
	of := leases.Options{Name: "node-one"}
	store := leases.Open(deaf{leasetest.NewMemory().Backend(of)}, of, slog.New(slog.DiscardHandler))
	t.Cleanup(store.Close)
	_, m := watchedNode(t, store)
	comes(t, m, mcpserver.ReadyPath, 503, "not a member")
	_, m = watchedNode(t, nil)
	comes(t, m, mcpserver.ReadyPath, 200)
}

// The port is a loopback one unless the operator says otherwise, which is logged then; web pages
// are refused there, and there is nothing else.
func TestWatchPort(t *testing.T) {
	_, m := watchedNode(t, nil)
	for address, warns := range map[string]bool{"0": false, "127.0.0.1:0": false, "0.0.0.0:0": true} {
		var said strings.Builder
		port, err := watchFlags{Watch: address}.open(slog.New(slog.NewTextHandler(&said, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(said.String(), "anybody who reaches the port may read"); got != warns {
			t.Errorf("%s: the log says %s", address, said.String())
		}
		if !warns && !strings.HasPrefix(port.bound.Addr().String(), "127.0.0.1:") {
			t.Errorf("%s is %s", address, port.bound.Addr())
		}
		stop := port.serveBeside(m.Handler())
		at := "http://127.0.0.1" + port.bound.Addr().String()[strings.LastIndex(port.bound.Addr().String(), ":"):]
		for _, c := range []struct {
			path, header, value string
			status              int
		}{
			{mcpserver.MetricsPath, "X", "y", 200}, {mcpserver.ReadyPath, "X", "y", 200}, {"/mcp", "X", "y", 404},
			{mcpserver.MetricsPath, "Origin", "http://evil.test", 403}, {mcpserver.MetricsPath, "Host", "evil.test", 403},
		} {
			req, err := http.NewRequest("GET", at+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set(c.header, c.value)
			if c.header == "Host" {
				req.Host = c.value
			}
			req.Close = true
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != c.status {
				t.Errorf("%s of %s with %s: %s gives %d", c.path, address, c.header, c.value, resp.StatusCode)
			}
		}
		stop()
	}
	if _, err := (watchFlags{Watch: "nowhere"}).open(slog.New(slog.DiscardHandler)); err == nil {
		t.Error("an address without a port is taken")
	}
}

// A gateway's pressure is what its fullest tenant has of what the tenant's tokens allow, whatever others have, and
// however many pages the cluster has.
func TestGatewayPressure(t *testing.T) {
	f := gateway.Stats{Pages: 5000, Busiest: gateway.TenantFigures{InFlight: mcpserver.MaxRunning / 4, Tokens: 1},
		Fullest: gateway.TenantFigures{Clients: 30, Tokens: 2}}
	f.Clients = 100
	limits := gatewayStands(f, 20).Limits
	if limits.Clients != (metrics.Share{Now: 30, Limit: 40}) || limits.Requests != (metrics.Share{Now: mcpserver.MaxRunning / 4, Limit: mcpserver.MaxRunning}) ||
		limits.Pages != (metrics.Share{Now: 5000}) {
		t.Errorf("the limits are %+v", limits)
	}
}

// A port that can't be had is said before anything else begins: no browser is reached or started, and the store isn't
// joined.
func TestWatchPortFirst(t *testing.T) {
	stdout := os.Stdout
	t.Cleanup(func() { os.Stdout = stdout })
	elsewhere, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reached := make(chan struct{})
	go func() {
		if c, err := elsewhere.Accept(); err == nil {
			close(reached)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = elsewhere.Close() })
	at := elsewhere.Addr().String()
	for _, watch := range []string{at, "nowhere"} {
		for _, args := range []string{
			"node --name one --listen 127.0.0.1:0 --etcd http://" + at + " --ws-endpoint ws://" + at,
			"gateway --name gate --etcd http://" + at,
		} {
			var c cli
			parser, err := newParser(&c)
			if err != nil {
				t.Fatal(err)
			}
			begun, err := parser.Parse(append(strings.Fields(args), "--watch", watch))
			if err != nil {
				t.Fatal(err)
			}
			if err := begun.Run(); err == nil || !strings.Contains(err.Error(), "--watch") {
				t.Errorf("%s --watch %s: %v", args, watch, err)
			}
			select {
			case <-reached:
				t.Errorf("%s --watch %s has reached the store, or a browser", args, watch)
			default:
			}
		}
	}
}
