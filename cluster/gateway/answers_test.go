package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/wire"
	"webmcphub/mcpserver"
)

// A node that is taken over answers calls with what it likes: a client gets a result all the same, and no word of
// the node's stands among the endings that are counted.
func TestAnswersOfANode(t *testing.T) {
	var called wire.Called // by the next call
	bad := scriptedNode(t, "bad", func(wire.Request) wire.Reply {
		raw, _ := json.Marshal(called)
		return wire.Reply{Result: raw}
	})
	outcomes := make(chan string, 1)
	g := startGateway(t, "gate", nil, func(o *gateway.Options) {
		o.Server.Called = func(r mcpserver.CallRecord) { outcomes <- r.Outcome }
	})
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"bad": bad})
	a.wants("webmcp_bad_test_page0_buy")
	good := json.RawMessage(`{"content":[{"type":"text","text":"bought"}]}`)
	for name, c := range map[string]struct {
		says          wire.Called
		text, outcome string
	}{
		"a result":               {wire.Called{Result: good}, "bought", "ok"},
		"an ending":              {wire.Called{Result: good, IsError: true, Ending: "closed"}, "bought", "closed"},
		"an ending of its own":   {wire.Called{Result: good, IsError: true, Ending: "17"}, "bought", "error"},
		"a question to the user": {wire.Called{Result: good, Ending: "asks"}, "bought", "ok"},
		"nothing":                {wire.Called{}, "its answer can't be read", "lost"},
		"a task":                 {wire.Called{Result: json.RawMessage(`{"content":[],"resultType":"input_required"}`)}, "its answer can't be read", "lost"},
		"a long type":            {wire.Called{Result: json.RawMessage(`{"content":[],"resultType":[[],[]]}`)}, "its answer can't be read", "lost"},
		"no type":                {wire.Called{Result: json.RawMessage(`{"content":[{"type":"text","text":"bought"}],"resultType":null}`)}, "bought", "ok"},
		"null":                   {wire.Called{Result: json.RawMessage(`null`)}, "its answer can't be read", "lost"},
		"a number":               {wire.Called{Result: json.RawMessage(`5`)}, "its answer can't be read", "lost"},
		"no content":             {wire.Called{Result: json.RawMessage(`{"content":"x"}`)}, "its answer can't be read", "lost"},
	} {
		called = c.says
		if r := a.call("webmcp_bad_test_page0_buy", `{}`); !strings.Contains(r.text(), c.text) {
			t.Errorf("%s: the client got %s", name, r.raw)
		}
		if outcome := <-outcomes; outcome != c.outcome {
			t.Errorf("%s: it counts as %q, not %q", name, outcome, c.outcome)
		}
	}
}
