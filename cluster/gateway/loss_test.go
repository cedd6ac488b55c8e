package gateway_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/cluster/transport"
	"webmcphub/internal/proxytest"
)

// begin begins a call that hangs, and waits until its page runs it.
func (a *agent) hang(name string, began chan struct{}) chan answer {
	a.t.Helper()
	_, to := a.begin("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, name))
	select {
	case <-began:
	case <-time.After(patience):
		a.t.Fatal("the page was not called")
	}
	return to
}

// When the way to a node breaks, its calls are answered with the reason and its page hears of
// it; its tools go; other nodes' calls and tools stay; and it comes back.
func TestNodeLost(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	slow, began, ended := hangs("slow")
	one.open("http://shop.test/", slow)
	g := startGateway(t, "gate", nil)
	a := connect(t, g, "")
	way, err := proxytest.Listen("", one.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	g.SetNodes(map[string]string{"one": way.Addr()})
	a.wants("webmcp_shop_test_page0_slow")
	other, begun, _ := hangs("wait")
	two.open("http://bank.test/", other)
	g.SetNodes(map[string]string{"one": way.Addr(), "two": two.Addr()})
	a.wants("webmcp_shop_test_page0_slow", "webmcp_bank_test_page1_wait")
	cut, stays := a.hang("webmcp_shop_test_page0_slow", began), a.hang("webmcp_bank_test_page1_wait", begun)
	b := connect(t, g, "") // a is told after its call that goes on that the called tool has another name
	at := time.Now()
	way.Set(proxytest.Refused)
	if r := a.resultOf(a.await(cut)); !r.IsError || !strings.Contains(r.text(), "The node one") || !strings.Contains(r.text(), "was lost") {
		t.Errorf("the call ended with %s", r.raw)
	}
	if took := time.Since(at); took > time.Second {
		t.Errorf("it was answered after %v", took)
	}
	<-ended // the page was told to stop
	b.wants("webmcp_bank_test_page0_wait")
	select {
	case got := <-stays:
		t.Errorf("another node's call ended with %s", got.Result)
	default:
	}
	way.Set(proxytest.Open)
	b.wants("webmcp_bank_test_page0_wait", "webmcp_shop_test_page1_slow")
}

// administers has an operator ask the node "one".
func administers(t *testing.T, address string, ask func(api.AdminClient)) {
	t.Helper()
	op, err := transport.NewDialer(transport.Caller{Role: transport.Operator, Name: "ann"}, nil, nil)
	if err == nil {
		err = op.Admin(t.Context(), "one", address, func(node api.AdminClient) error { ask(node); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A node that drains ends its calls well, goes from the lists, opens no tabs, and leaves.
func TestDrain(t *testing.T) {
	one := startNode(t, "one")
	release := make(chan struct{})
	began := make(chan struct{}, 1)
	one.open("http://shop.test/", tool("slow", slowly(began, release)))
	a := connect(t, startGateway(t, "gate", []*site{one}), "")
	a.wants("webmcp_shop_test_page0_slow")
	runs := a.hang("webmcp_shop_test_page0_slow", began)
	administers(t, one.Addr(), func(node api.AdminClient) {
		if s, err := node.Status(t.Context(), &api.StatusRequest{}); err != nil || s.Calls != 1 || s.Tools != 1 || len(s.Browsers) != 1 {
			t.Errorf("the status is %+v, %v", s, err)
		}
		if _, err := node.Drain(t.Context(), &api.DrainRequest{}); err != nil {
			t.Error(err)
		}
	})
	a.wants()
	if r := a.call("open_tab", `{"url":"http://new.test/"}`); !r.IsError {
		t.Errorf("a tab was opened: %s", r.raw)
	}
	select {
	case <-one.Left():
		t.Error("the node left although a call runs")
	default:
	}
	close(release)
	if r := a.resultOf(a.await(runs)); r.IsError || !strings.Contains(r.text(), "done") {
		t.Errorf("the call ended with %s", r.raw)
	}
	select {
	case <-one.Left():
	case <-time.After(patience):
		t.Error("the node doesn't leave")
	}
}

// stores opens stores of one cluster in memory.
func stores(t *testing.T) func(name string, allots bool) *leases.Store {
	c := leasetest.NewMemory()
	return func(name string, allots bool) *leases.Store {
		s := c.Open(leases.Options{Name: name, Candidate: allots}, slog.New(slog.DiscardHandler))
		t.Cleanup(s.Close)
		return s
	}
}

// Tenants see the browsers alone that they have leased, and one that is given back begins afresh
// before another has it. Two gateways see the same leases.
func TestTenants(t *testing.T) {
	store := stores(t)
	one := startNode(t, "one", func(o *node.Options) { o.Store = store("one", false) })
	one.chrome.Serve("http://shop.test/", cdptest.Site{Tools: []cdptest.Tool{tool("buy", says("bought"))}})
	tenants := func(name string) func(*gateway.Options) {
		return func(o *gateway.Options) { o.Store, o.Tenants = store(name, true), tenants("ada", "ben") }
	}
	first, second := startGateway(t, "gate-1", nil, tenants("gate-1")), startGateway(t, "gate-2", nil, tenants("gate-2"))
	ada, ben, adaToo := connect(t, first, "ada"), connect(t, first, "ben"), connect(t, second, "ada")
	if r := ada.call("open_tab", `{"url":"http://shop.test/"}`); !r.IsError || !strings.Contains(r.text(), "acquire_browser") {
		t.Errorf("without a browser: %s", r.raw)
	}
	given := ada.call("acquire_browser", `{"labels":["of=one"],"wait":10}`)
	if given.IsError || !strings.Contains(given.text(), `one/chrome-1~`) {
		t.Fatalf("acquired %s", given.raw)
	}
	handle := between(given.text(), `"browser":"`, `"`)
	if r := ada.call("open_tab", fmt.Sprintf(`{"url":"http://shop.test/","browser":%q}`, handle)); r.IsError {
		t.Fatalf("opened %s", r.raw)
	}
	ada.wants("webmcp_shop_test_page0_buy")
	ada.gives("webmcp_shop_test_page0_buy", "bought")
	adaToo.wants("webmcp_shop_test_page0_buy")
	ben.wants()
	if r := ben.call("list_tabs", `{}`); strings.Contains(string(r.raw), "shop.test") {
		t.Errorf("another tenant sees %s", r.raw)
	}
	if r := ben.call("acquire_browser", `{"wait":0}`); !r.IsError || !strings.Contains(string(r.raw), "no browser is free") {
		t.Errorf("the only browser was given twice: %s", r.raw)
	}
	if r := ben.call("release_browser", fmt.Sprintf(`{"browser":%q}`, handle)); !r.IsError {
		t.Errorf("another's browser was released: %s", r.raw)
	}
	_, waits := ben.begin("tools/call", `{"name":"acquire_browser","arguments":{"wait":20}}`)
	if r := adaToo.call("release_browser", fmt.Sprintf(`{"browser":%q}`, handle)); r.IsError {
		t.Errorf("released %s", r.raw)
	}
	if r := ben.resultOf(ben.await(waits)); r.IsError || strings.Contains(r.text(), handle) {
		t.Errorf("the one who waited got %s", r.raw)
	}
	ada.wants()
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// When the way to a node carries nothing any more, be it in one direction, though nobody closes it, both sides notice:
// the call is answered, its page is told to stop, and the tools go. A large result finds the way that is open again.
func TestWayCarriesNothing(t *testing.T) {
	for name, way := range map[string]proxytest.Way{"both ways": proxytest.Cut, "from the node": proxytest.ToTarget, "to the node": proxytest.ToCaller} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carriesNothing(t, way)
		})
	}
}

func carriesNothing(t *testing.T, impaired proxytest.Way) {
	one := startNode(t, "one")
	slow, began, ended := hangs("slow")
	one.open("http://shop.test/", slow, tool("large", says(strings.Repeat("x", 5<<18))))
	way, err := proxytest.Listen("", one.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	g := startGateway(t, "gate", nil)
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"one": way.Addr()})
	a.wants("webmcp_shop_test_page0_slow", "webmcp_shop_test_page0_large")
	cut, at := a.hang("webmcp_shop_test_page0_slow", began), time.Now()
	way.Set(impaired)
	if r := a.resultOf(a.await(cut)); !r.IsError || !strings.Contains(r.text(), "The node one") || !strings.Contains(r.text(), "was lost") {
		t.Errorf("the call ended with %s", r.raw)
	}
	if took := time.Since(at); took > 10*time.Second {
		t.Errorf("it was answered after %v", took)
	}
	<-ended
	a.wants()
	way.Set(proxytest.Open)
	a.wants("webmcp_shop_test_page0_slow", "webmcp_shop_test_page0_large")
	if r := a.call("webmcp_shop_test_page0_large", `{}`); r.IsError || len(r.text()) < 5<<18 {
		t.Errorf("the large result has %d bytes", len(r.text()))
	}
}
