package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
)

// Gateways are upgraded first: nodes of earlier builds, which know titles alone, are asked for these.
func TestTitlesOfAnEarlierNode(t *testing.T) {
	old := scriptedNode(t, "old", func(r wire.Request) wire.Reply {
		if r.Kind == wire.ReadTitles {
			return wire.Reply{Result: json.RawMessage(`{"p":"Cart (1)"}`)}
		}
		return wire.Reply{Error: &wire.Error{Message: "the node old (v1) doesn't know how to do that"}}
	})
	g := startGateway(t, "gate", nil)
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"old": old})
	a.wants("webmcp_old_test_page0_buy")
	if list := a.call("list_tabs", `{}`); !strings.Contains(string(list.raw), "Cart (1)") {
		t.Errorf("the tabs are %s", list.raw)
	}
}
