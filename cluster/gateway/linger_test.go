package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"webmcphub/cluster/gateway"
)

// A node that leaves goes from the lists at once, and what clients call that don't know it yet is
// carried out all the same, until it has left.
func TestLeavingNodesAnswerWhoDoesNotKnow(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	one.open("http://shop.test/", tool("buy", says("bought")))
	g := startGateway(t, "gate", []*site{one, two})
	a, late := connect(t, g, ""), connect(t, g, "")
	a.wants("webmcp_shop_test_page0_buy")
	late.wants("webmcp_shop_test_page0_buy")
	one.Drain("it is told to")
	a.wants()
	late.gives("webmcp_shop_test_page0_buy", "bought")
	a.gives("webmcp_shop_test_page0_buy", "bought")
	<-one.Left()
	one.Stop()
	for r := late.call("webmcp_shop_test_page0_buy", `{}`); ; r = late.call("webmcp_shop_test_page0_buy", `{}`) {
		if r.IsError && strings.Contains(r.text(), "one") {
			break // it says that the node is lost, or not connected
		}
	}
}

// A page's number is the same at all gateways, in whichever order they came to know it.
func TestNumbersAreTheSameEverywhere(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	stable := func(o *gateway.Options) { o.Registry.StableIndex = true }
	one.open("http://shop.test/", tool("buy", says("bought")))
	first := startGateway(t, "gate-1", []*site{one}, stable)
	a := connect(t, first, "")
	for len(a.pageTools()) < 1 {
		<-a.changed
	}
	two.open("http://bank.test/", tool("pay", says("paid")))
	first.SetNodes(map[string]string{"one": one.Addr(), "two": two.Addr()})
	b := connect(t, startGateway(t, "gate-2", []*site{two, one}, stable), "")
	for _, each := range []*agent{a, b} {
		for len(each.pageTools()) < 2 {
			<-each.changed
		}
	}
	names := a.pageTools()
	if others := b.pageTools(); !slices.Equal(names, others) {
		t.Errorf("the tools are %q at one gateway and %q at another", names, others)
	}
	b.gives(names[0], "paid")
}
