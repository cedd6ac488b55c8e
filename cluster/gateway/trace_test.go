package gateway_test

import (
	"testing"

	"webmcphub/cluster/node"
	"webmcphub/mcpserver/calls"
)

// TestTrace: a call's span at the node has that at the gateway for its parent.
func TestTrace(t *testing.T) {
	const ofGateway = "00-11111111111111111111111111111111-2222222222222222-01"
	type span struct{ name, parent, outcome string }
	ended := make(chan span, 2)
	one := startNode(t, "one", func(o *node.Options) {
		o.Trace = func(name, parent string) (string, func(string)) {
			return "00-11111111111111111111111111111111-3333333333333333-01", func(outcome string) { ended <- span{name, parent, outcome} }
		}
	})
	one.open("http://shop.test/", tool("buy", says("bought")))
	g := startGateway(t, "gate", []*site{one}, overseenBy(calls.Oversight{
		Trace: func(calls.Record, string) (string, func(calls.Record)) { return ofGateway, func(calls.Record) {} },
	}))
	a := connect(t, g, "")
	a.wants("webmcp_shop_test_page0_buy")
	a.gives("webmcp_shop_test_page0_buy", "bought")
	if got := <-ended; got != (span{"node", ofGateway, "ok"}) {
		t.Errorf("the node's span is %+v", got)
	}
}
