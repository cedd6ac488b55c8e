package gateway_test

import (
	"slices"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/internal/runner"
)

// A gateway that comes to know a node while that leaves shows none of its pages, not for a moment.
func TestLeavingNodeIsMet(t *testing.T) {
	one := startNode(t, "one")
	slow, began, ended := hangs("slow")
	one.open("http://shop.test/", slow)
	a := connect(t, startGateway(t, "first", []*site{one}), "")
	a.wants("webmcp_shop_test_page0_slow")
	a.begin("tools/call", `{"name":"webmcp_shop_test_page0_slow","arguments":{}}`)
	<-began
	one.Drain("it is told to")
	a.wants()
	for range 5 {
		shown := &notes{}
		g := startGateway(t, "second", []*site{one}, func(o *gateway.Options) {
			o.Oversee = func(string) gateway.Overseer { return gateway.Overseer{Publishers: []runner.Publisher{shown}} }
		})
		two := startNode(t, "two")
		two.open("http://bank.test/", tool("pay", says("paid")))
		g.SetNodes(map[string]string{"one": one.Addr(), "two": two.Addr()})
		connect(t, g, "").wants("webmcp_bank_test_page0_pay")
		for late := time.After(patience); g.Figures().NodesAnswering < 2; {
			select {
			case <-late:
				t.Fatal("the nodes don't answer")
			case <-time.After(5 * time.Millisecond): // nobody tells when figures change
			}
		}
		shown.mu.Lock()
		for _, names := range shown.all {
			if slices.Contains(names, "slow") {
				t.Errorf("a page of a node that leaves was shown: %q", shown.all)
			}
		}
		shown.mu.Unlock()
		g.Stop()
		two.Stop()
	}
	one.Stop()
	<-ended
}
