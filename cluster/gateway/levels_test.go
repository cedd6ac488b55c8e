package gateway_test

import (
	"encoding/json"
	"testing"
	"time"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/gateway"
)

// Pages are told the lowest level that any tenant wants, whoever says his last; and so are those of
// nodes that come later.
func TestLogLevels(t *testing.T) {
	one := startNode(t, "one")
	heard := make(chan string, 20)
	server := cdptest.NewMCPServer(cdptest.Tool{Name: "order", Description: "orders"})
	server.Offer(map[string]any{"logging": map[string]any{}}, func(method string, params json.RawMessage) any {
		if method != "logging/setLevel" {
			return nil
		}
		heard <- string(params)
		return map[string]any{}
	})
	one.chrome.OpenPage("http://shop.test/").ServeMCP(server.Handle)
	g := startGateway(t, "gate", nil, func(o *gateway.Options) { o.Tenants = tenants("x", "y") })
	x, y := connect(t, g, "x"), connect(t, g, "y")
	x.ask("logging/setLevel", `{"level":"debug"}`)
	y.ask("logging/setLevel", `{"level":"warning"}`)
	g.SetNodes(map[string]string{"one": one.Addr()})
	late := time.After(patience)
	hears := func(want, unless string) {
		for {
			select {
			case got := <-heard:
				if got == want {
					return
				}
				if got != unless { // which it may be told again
					t.Fatalf("the page was told %s, not %s", got, want)
				}
			case <-late:
				t.Fatalf("the page was not told %s", want)
			}
		}
	}
	hears(`{"level":"debug"}`, "")
	y.ask("logging/setLevel", `{"level":"emergency"}`)
	x.ask("logging/setLevel", `{"level":"info"}`)
	hears(`{"level":"info"}`, `{"level":"debug"}`)
}
