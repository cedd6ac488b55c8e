package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/internal/browsertool"
	"webmcphub/internal/proxytest"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// hand is a node's automation, whose calls a test ends.
type hand struct {
	began chan *api.Automation
	end   chan struct{} // each call takes one

	mu    sync.Mutex
	ended []error // contexts of calls
	gone  chan string
}

func newHand() *hand {
	return &hand{began: make(chan *api.Automation, 10), end: make(chan struct{}, 10), gone: make(chan string, 10)}
}

func (o *hand) Categories() []string { return []string{"input"} }

func (o *hand) Call(ctx context.Context, client string, a *api.Automation, progress func(string)) *api.Automated {
	progress("under\u202e way")
	o.began <- a
	select {
	case <-o.end:
	case <-ctx.Done():
		o.mu.Lock()
		o.ended = append(o.ended, context.Cause(ctx))
		o.mu.Unlock()
	}
	return &api.Automated{Result: json.RawMessage(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, "done for "+client))}
}

func (o *hand) ClientGone(client string) { o.gone <- client }

func (o *hand) Close() {}

// presses is a tenant's only browser tool: it presses the one page that there is.
type presses struct{ gateway.Nodes }

func (p presses) Tools(string) []browsertool.Tool {
	return []browsertool.Tool{{Name: "press", Input: json.RawMessage(`{"type":"object"}`), Encoded: json.RawMessage(`{"name":"press","inputSchema":{"type":"object"}}`), Arguments: func(a json.RawMessage) json.RawMessage { return a }}}
}

func (p presses) Call(ctx context.Context, c browsertool.Call) registry.Result {
	done, err := p.Automate(ctx, "one", &api.Automation{Tool: "press", Client: c.ID}, c.Progress)
	if err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	return registry.Result{JSON: done.Result}
}

func (p presses) ClientGone(session string) { p.Nodes.ClientGone("one", session) }

// pressing is a gateway whose clients have that tool.
func pressing(o *gateway.Options) {
	o.Automation = func(n gateway.Nodes, _ string) calls.Automation { return presses{n} }
}

func operated(o *hand) func(*node.Options) {
	return func(n *node.Options) { n.Automation = func(node.Host) node.Automation { return o } }
}

// TestAutomate: a call of a browser tool is carried out by the node, for that client, with the browsers that it sees; it
// is cancelled there, and its client's end is told there.
func TestAutomate(t *testing.T) {
	o := newHand()
	one := startNode(t, "one", operated(o))
	one.open("http://shop.test/", tool("buy", says("bought")))
	g := startGateway(t, "front", []*site{one}, pressing)
	a := connect(t, g, "")
	a.awaitTools(1)
	_, to := a.begin("tools/call", `{"name":"press","arguments":{},"_meta":{"progressToken":7}}`)
	got := <-o.began
	if m := <-a.told; m.Method != "notifications/progress" || !strings.Contains(string(m.Params), `"under way"`) {
		t.Errorf("it was told %s of %s", m.Method, m.Params)
	}
	if len(got.Browsers) != 1 || got.Browsers[0].Browser != "chrome-1" || got.Client == "" || len(got.Numbers) != 0 {
		t.Errorf("the node was asked %+v", got)
	}
	o.end <- struct{}{}
	if r := a.resultOf(a.await(to)); !strings.HasPrefix(r.text(), "done for front ") || !strings.HasSuffix(r.text(), got.Client) {
		t.Errorf("it gave %s", r.raw)
	}
	id, _ := a.begin("tools/call", `{"name":"press","arguments":{}}`)
	<-o.began
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	_ = a.in.Close()
	if gone := <-o.gone; !strings.HasSuffix(gone, got.Client) {
		t.Errorf("%s is gone", gone)
	}
	one.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ended) != 1 {
		t.Errorf("calls were ended by %v", o.ended)
	}
}

// awaitTools waits until so many tools of pages are listed.
func (a *agent) awaitTools(n int) []string {
	a.t.Helper()
	for {
		if names := a.pageTools(); len(names) == n {
			return names
		}
		<-a.changed
	}
}

// TestAutomateLoss: a node that is lost in the middle of a call is told of, with the reason.
func TestAutomateLoss(t *testing.T) {
	o := newHand()
	one := startNode(t, "one", operated(o))
	one.open("http://shop.test/", tool("buy", says("bought")))
	way, err := proxytest.Listen("", one.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	g := startGateway(t, "front", nil, pressing)
	g.SetNodes(map[string]string{"one": way.Addr()})
	a := connect(t, g, "")
	a.awaitTools(1)
	_, to := a.begin("tools/call", `{"name":"press","arguments":{}}`)
	<-o.began
	way.Set(proxytest.Refused)
	if r := a.resultOf(a.await(to)); !r.IsError || !strings.Contains(r.text(), "the node one was lost") {
		t.Errorf("it gave %s", r.raw)
	}
}

// TestLastWords: of a call that is given up, its node says what became of it.
func TestLastWords(t *testing.T) {
	o := newHand()
	one := startNode(t, "one", operated(o))
	one.open("http://shop.test/", tool("buy", says("bought")))
	nodes := make(chan gateway.Nodes, 1)
	g := startGateway(t, "front", []*site{one}, func(o *gateway.Options) {
		o.Automation = func(n gateway.Nodes, _ string) calls.Automation {
			nodes <- n
			return presses{n}
		}
	})
	connect(t, g, "").awaitTools(1)
	ctx, end := context.WithCancel(t.Context())
	go func() {
		<-o.began
		end()
	}()
	done, err := (<-nodes).Automate(ctx, "one", &api.Automation{Tool: "press", Client: "c"}, func(string) {})
	if err != nil || !strings.Contains(string(done.Result), "done for front") {
		t.Errorf("they are %s, %v", done.Result, err)
	}
}

// TestNoAutomation: a node without browser tools says so.
func TestNoAutomation(t *testing.T) {
	one := startNode(t, "one")
	one.open("http://shop.test/", tool("buy", says("bought")))
	g := startGateway(t, "front", []*site{one}, pressing)
	a := connect(t, g, "")
	a.awaitTools(1)
	if r := a.call("press", `{}`); !r.IsError || !strings.Contains(r.text(), "without --automation") {
		t.Errorf("it gave %s", r.raw)
	}
}

// TestAutomateTenants: a node is told of the browsers that the tenant has leased, in the lives for which it has
// them, and of no others.
func TestAutomateTenants(t *testing.T) {
	c := leasetest.NewMemory()
	o := newHand()
	store := c.Open(leases.Options{Name: "node-one"}, logger(t))
	t.Cleanup(store.Close)
	one := startNode(t, "one", operated(o), func(o *node.Options) { o.Store = store })
	_ = one
	gates := c.Open(leases.Options{Name: "front", Candidate: true}, logger(t))
	t.Cleanup(gates.Close)
	gates.Limit(leases.Limits{})
	g := startGateway(t, "front", nil, pressing, func(o *gateway.Options) {
		o.Store, o.Tenants = gates, tenants("shop", "bank")
	})
	shop, bank := connect(t, g, "shop"), connect(t, g, "bank")
	shop.acquire() // once the node is known
	for a, sees := range map[*agent]int{shop: 1, bank: 0} {
		_, to := a.begin("tools/call", `{"name":"press","arguments":{}}`)
		select {
		case got := <-o.began:
			if len(got.Browsers) != sees || sees > 0 && got.Browsers[0].Life == "" {
				t.Errorf("the node was told of %+v, want %d", got.Browsers, sees)
			}
			o.end <- struct{}{}
			a.await(to)
		case got := <-to: // nothing of it was asked
			if sees > 0 {
				t.Errorf("it gave %s", got.Result)
			}
		}
	}
}
