package gateway_test

import (
	"strings"
	"testing"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
)

// Which labels there are is told to who sees all browsers, and to no tenant.
func TestLabelsAreNotForTenants(t *testing.T) {
	store := stores(t)
	startNode(t, "one", func(o *node.Options) {
		o.Store, o.Labels = store("one", false), map[string]string{"customer": "bank"}
	})
	for name, c := range map[string]struct {
		tenants []gateway.Tenant
		tenant  string
		told    bool
	}{"shared": {tenants("shop", "bank"), "shop", false}, "alone": {nil, "", true}} {
		own := store(name, true)
		g := startGatewayOf(t, name, func(o *gateway.Options) { o.Store, o.Tenants = own, c.tenants })
		a := connect(t, g, c.tenant)
		held := a.acquire() // it knows the node
		if r := a.call("release_browser", `{"browser":"`+held+`"}`); r.IsError {
			t.Fatal(string(r.raw))
		}
		r := a.call("acquire_browser", `{"labels":["os=plan9"],"wait":0}`)
		if !r.IsError || !strings.Contains(string(r.raw), "os=plan9") || strings.Contains(string(r.raw), "customer") != c.told {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
}
