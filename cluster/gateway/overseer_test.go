package gateway_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/internal/audit"
	"webmcphub/internal/runner"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
)

// overseenBy has all tenants overseen alike.
func overseenBy(o calls.Oversight) func(*gateway.Options) {
	return func(g *gateway.Options) {
		g.Oversee = func(string) gateway.Overseer { return gateway.Overseer{Oversight: o} }
	}
}

// Who watches a tenant's server is told of that tenant's tools and calls alone, from the tenant's beginning
// to its end.
func TestOverseers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(audit.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	c := leasetest.NewMemory()
	lender(t, c, "xs.test")
	store := c.Open(leases.Options{Name: "front", Candidate: true}, logger(t))
	t.Cleanup(store.Close)
	began := map[string]*mcpserver.Server{}
	g := startGatewayOf(t, "front", func(o *gateway.Options) {
		o.Store, o.Tenants = store, tenants("x", "y")
		o.Oversee = func(tenant string) gateway.Overseer {
			lines := log.Begin(tenant)
			return gateway.Overseer{Oversight: calls.Oversight{Called: lines.Called}, Publishers: []runner.Publisher{lines}, Ended: lines.End,
				Began: func(s *mcpserver.Server, _ gateway.Pages) { began[tenant] = s }}
		}
	})
	if began["x"] != g.Server("x") || began["y"] != g.Server("y") {
		t.Error("overseers were not given the tenants' servers")
	}
	x, y := connect(t, g, "x"), connect(t, g, "y")
	handle := x.acquire()
	x.opens("http://xs.test/", handle)
	x.wants("webmcp_xs_test_page0_buy")
	x.gives("webmcp_xs_test_page0_buy", "bought")
	y.call("list_tabs", `{}`)
	y.wants()
	g.SetTenants(tenants("y"))
	g.Stop()
	log.Close()

	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ofX, ofY []string
	for l := range strings.Lines(string(raw)) {
		switch {
		case strings.Contains(l, `"tenant":"x"`):
			ofX = append(ofX, l)
		case strings.Contains(l, `"tenant":"y"`):
			ofY = append(ofY, l)
		}
	}
	all := strings.Join(ofX, "")
	for _, want := range []string{`"event":"start"`, `"event":"added"`, `"event":"call"`, `"tool":"buy"`, `"browser":"one/chrome-1"`, `"name":"acquire_browser"`, `"event":"stop"`} {
		if !strings.Contains(all, want) {
			t.Errorf("x's lines have no %s:\n%s", want, all)
		}
	}
	if all := strings.Join(ofY, ""); !strings.Contains(all, `"list_tabs"`) || strings.Contains(all, "buy") || strings.Contains(all, "chrome-1") || len(ofY) != 3 {
		t.Errorf("y's lines are\n%s", all)
	}
}

// Agents can't open a live page, whosever it is on this computer.
func TestLivePagesStayShut(t *testing.T) {
	g := startGateway(t, "front", []*site{startNode(t, "one")})
	a := connect(t, g, "")
	for call, late := "", time.After(patience); !strings.Contains(call, "hub's own page"); call = string(a.call("open_tab", `{"url":"http://127.0.0.1:5000/webmcp-hub-live-X/"}`).raw) {
		select {
		case <-late:
			t.Fatalf("open_tab gives %s", call)
		case <-time.After(20 * time.Millisecond): // the node isn't known yet
		}
	}
}
