package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cluster/api"
	"webmcphub/mcpserver/calls"
)

// A node that is taken over answers calls with what it likes: a client gets a result all the same, and no word of
// the node's stands among the endings that are counted.
func TestAnswersOfANode(t *testing.T) {
	var called *api.CallResponse_Result // by the next call
	bad := scriptedNode(t, "bad", func(*api.CallRequest_Start) *api.CallResponse_Result { return called })
	outcomes := make(chan string, 1)
	g := startGateway(t, "gate", nil, overseenBy(calls.Oversight{Called: func(r calls.Record) { outcomes <- r.Outcome }}))
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"bad": bad})
	a.wants("webmcp_bad_test_page0_buy")
	good := json.RawMessage(`{"content":[{"type":"text","text":"bought"}]}`)
	for name, c := range map[string]struct {
		says          *api.CallResponse_Result
		text, outcome string
	}{
		"a result":               {&api.CallResponse_Result{Json: good}, "bought", "ok"},
		"an ending":              {&api.CallResponse_Result{Json: good, Called: &api.Called{IsError: true, Ending: "closed"}}, "bought", "closed"},
		"an ending of its own":   {&api.CallResponse_Result{Json: good, Called: &api.Called{IsError: true, Ending: "17"}}, "bought", "error"},
		"a question to the user": {&api.CallResponse_Result{Json: good, Called: &api.Called{Ending: "asks"}}, "bought", "ok"},
		"nothing":                {&api.CallResponse_Result{}, "its answer can't be read", "lost"},
		"a task":                 {&api.CallResponse_Result{Json: json.RawMessage(`{"content":[],"resultType":"input_required"}`)}, "its answer can't be read", "lost"},
		"a long type":            {&api.CallResponse_Result{Json: json.RawMessage(`{"content":[],"resultType":[[],[]]}`)}, "its answer can't be read", "lost"},
		"no type":                {&api.CallResponse_Result{Json: json.RawMessage(`{"content":[{"type":"text","text":"bought"}],"resultType":null}`)}, "bought", "ok"},
		"null":                   {&api.CallResponse_Result{Json: json.RawMessage(`null`)}, "its answer can't be read", "lost"},
		"a number":               {&api.CallResponse_Result{Json: json.RawMessage(`5`)}, "its answer can't be read", "lost"},
		"no content":             {&api.CallResponse_Result{Json: json.RawMessage(`{"content":"x"}`)}, "its answer can't be read", "lost"},
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
