package cdp

import (
	"encoding/json"
	"testing"

	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry/offer"
)

// TestPagesCantNameTheirToolsRuntime, which the adapter does in their _meta.
func TestPagesCantNameTheirToolsRuntime(t *testing.T) {
	said := pagemcp.Tool{Name: "x", Meta: json.RawMessage(`{"` + bridge.AdapterRuntimeKey + `":"form"}`)}
	if got := (&PageServer{}).runtime(said); got != offer.MCPB {
		t.Errorf("reached by %s", got)
	}
	if got := (&PageServer{adapter: true}).runtime(said); got != offer.Form {
		t.Errorf("the adapter's is reached by %s", got)
	}
}
