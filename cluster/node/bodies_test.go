package node_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/wire"
)

// What a gateway's request would become far larger than its text is refused before it is read.
func TestBodiesAreBounded(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	f := greet(t, start(t, dialer{chrome}), "front")
	many := json.RawMessage("[" + strings.Repeat("0,", 1<<18) + "0]")
	if r := f.reply(f.begin(wire.CloseTab, map[string]any{"Page": "none", "Args": many})); r.Error == nil || strings.Contains(r.Error.Message, "elements") {
		t.Errorf("what stays raw counts: %+v", r.Error)
	}
	if r := f.reply(f.begin(wire.OpenTab, map[string]any{"In": many})); r.Error == nil || !strings.Contains(r.Error.Message, "elements") {
		t.Errorf("%+v", r.Error)
	}
}
