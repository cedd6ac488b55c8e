package offer

import (
	"encoding/json"
	"sync/atomic"
	"testing"

	"webmcphub/registry/sanitize"
)

// What a tool costs is asked once for each name that it has; what isn't encoded is asked about
// each time.
func TestCostIsAskedOnce(t *testing.T) {
	asked := 0
	length := func(encoded json.RawMessage) int { asked++; return len(encoded) }
	tool := &HubTool{Name: "a", Encoded: json.RawMessage(`{"name":"a"}`), cost: new(atomic.Int64), registered: registered{source: &PageTool{}, clean: &sanitize.Tool{}}}
	for range 3 {
		if got := tool.Cost(length); got != len(tool.Encoded) {
			t.Errorf("%d", got)
		}
	}
	longer := tool.Named("a_much_longer_name")
	for range 3 {
		if got := longer.Cost(length); got != len(longer.Encoded) {
			t.Errorf("renamed: %d, and it has %d bytes", got, len(longer.Encoded))
		}
	}
	if tool.Cost(length); asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	bare := &HubTool{Encoded: json.RawMessage(`{}`)}
	if bare.Cost(length); bare.Cost(length) != 2 || asked != 4 {
		t.Errorf("what isn't made by a maker: asked %d times", asked)
	}
}
