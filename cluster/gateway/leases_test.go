package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/registry"
)

// starts is a dialer that starts a fresh Chrome each time, as nodes do with their own.
type starts struct {
	serve func(*cdptest.Browser)

	mu  sync.Mutex
	all []*cdptest.Browser
}

func (s *starts) Dial(context.Context) (cdpclient.Wire, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := cdptest.New()
	s.serve(b)
	s.all = append(s.all, b)
	return b.Connect(), nil
}

func (s *starts) die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.all {
		b.Die()
	}
}

// cutOff is a backend that tells nothing more once it is cut.
type cutOff struct {
	leases.Backend
	cut chan struct{}
}

func (c cutOff) Run(ctx context.Context, tell func(leases.Event)) {
	c.Backend.Run(ctx, func(e leases.Event) {
		select {
		case <-c.cut:
		default:
			tell(e)
		}
	})
}

// lender starts a node that lends one browser, where some sites have a tool.
func lender(t *testing.T, c *leasetest.Memory, sites ...string) {
	s := &starts{serve: func(b *cdptest.Browser) {
		for _, site := range sites {
			b.Serve("http://"+site+"/", cdptest.Site{Tools: []cdptest.Tool{tool("buy", says("bought"))}})
		}
	}}
	store := c.Open(leases.Options{Name: "node-one"}, logger(t))
	t.Cleanup(store.Close)
	n, err := node.Start(node.Options{Name: "one", Listen: "127.0.0.1:0", Logger: logger(t), Store: store,
		Browsers: []node.Browser{{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "chrome-1"}, ConnectOptions: actors.ConnectOptions{Dialer: s}, Key: "1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.die)
	t.Cleanup(n.Stop)
}

// tenants are those of these names.
func tenants(names ...string) (all []gateway.Tenant) {
	for _, name := range names {
		all = append(all, gateway.Tenant{Name: name})
	}
	return all
}

// shared starts a gateway of the tenants x and y.
func shared(t *testing.T, name string, store *leases.Store) *gateway.Gateway {
	t.Cleanup(store.Close)
	return startGatewayOf(t, name, func(o *gateway.Options) { o.Store, o.Tenants = store, tenants("x", "y") })
}

func startGatewayOf(t *testing.T, name string, set func(*gateway.Options)) *gateway.Gateway {
	o := gateway.Options{Name: name, Build: "test", Logger: logger(t)}
	set(&o)
	g, err := gateway.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	return g
}

// acquire gives the agent a browser.
func (a *agent) acquire() (handle string) {
	a.t.Helper()
	late := time.After(patience)
	for {
		r := a.call("acquire_browser", `{"wait":20}`)
		var got struct {
			Structured struct{ Browser string } `json:"structuredContent"`
		}
		if err := json.Unmarshal(r.raw, &got); err != nil {
			a.t.Fatal(err)
		}
		if !r.IsError {
			return got.Structured.Browser
		}
		select {
		case <-late:
			a.t.Fatal(string(r.raw))
		case <-time.After(20 * time.Millisecond): // the node isn't known yet
		}
	}
}

func (a *agent) opens(url, in string) {
	a.t.Helper()
	if r := a.call("open_tab", fmt.Sprintf(`{"url":%q,"browser":%q}`, url, in)); r.IsError {
		a.t.Fatal(string(r.raw))
	}
}

// A gateway that hears no more of leases shows a former tenant nothing of the next one's, and opens no
// tab for it there: it knows the browser's life from the node.
func TestFormerTenant(t *testing.T) {
	c := leasetest.NewMemory()
	lender(t, c, "xs.test", "ys.test")
	cut := make(chan struct{})
	cuts := leases.Options{Name: "old"} // no candidate: another one decides while it hears nothing
	old := shared(t, "old", leases.Open(cutOff{c.Backend(cuts), cut}, cuts, logger(t)))
	now := shared(t, "now", c.Open(leases.Options{Name: "now", Candidate: true}, logger(t)))
	x, xNow, y := connect(t, old, "x"), connect(t, now, "x"), connect(t, now, "y")
	handle := x.acquire()
	x.opens("http://xs.test/", handle)
	x.wants("webmcp_xs_test_page0_buy")
	y.wants()
	close(cut)
	if r := xNow.call("release_browser", fmt.Sprintf(`{"browser":%q}`, handle)); r.IsError {
		t.Fatal(string(r.raw))
	}
	next := y.acquire()
	y.opens("http://ys.test/", next)
	late := time.After(patience)
	for len(y.pageTools()) == 0 {
		select {
		case <-y.changed:
		case <-late:
			t.Fatal("y sees no tool of its own")
		}
	}
	x.wants()
	if r := x.call("list_tabs", `{}`); strings.Contains(string(r.raw), "ys.test") || strings.Contains(string(r.raw), "chrome-1") {
		t.Errorf("x is told of y's: %s", r.raw)
	}
	if r := x.call("open_tab", fmt.Sprintf(`{"url":"http://xs.test/","browser":%q}`, handle)); !r.IsError {
		t.Errorf("x has opened a tab in y's browser: %s", r.raw)
	}
}
