package gateway_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/cluster/gateway"
	"webmcphub/internal/runner"
	"webmcphub/registry"
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

// notes keeps the names of all tools that a tenant's clients were shown, one catalog after the other.
type notes struct {
	mu  sync.Mutex
	all [][]string
}

func (n *notes) Apply(effects []registry.Effect) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range effects {
		if s, is := e.(registry.SetCatalog); is {
			names := []string{}
			for _, t := range s.Catalog.Tools() {
				names = append(names, t.Route.Tool)
			}
			n.all = append(n.all, names)
		}
	}
}

// A node that has left and is started again doesn't bring back the pages of its life before, not for a moment.
func TestLeftPagesStayGone(t *testing.T) {
	one := startNode(t, "one")
	one.open("http://shop.test/", tool("buy", says("bought")))
	shown := &notes{}
	g := startGateway(t, "gate", []*site{one}, func(o *gateway.Options) {
		o.Oversee = func(string) gateway.Overseer { return gateway.Overseer{Publishers: []runner.Publisher{shown}} }
	})
	a := connect(t, g, "")
	a.wants("webmcp_shop_test_page0_buy")
	one.Drain("it is told to")
	a.wants()
	<-one.Left()
	one.Stop()
	shown.mu.Lock()
	shown.all = nil
	shown.mu.Unlock()
	again := startNode(t, "one")
	again.open("http://shop.test/", tool("sell", says("sold")))
	g.SetNodes(map[string]string{"one": again.Addr()})
	a.wants("webmcp_shop_test_page0_sell")
	shown.mu.Lock()
	defer shown.mu.Unlock()
	for _, names := range shown.all {
		if slices.Contains(names, "buy") {
			t.Errorf("a page of the life before was shown: %q", shown.all)
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
