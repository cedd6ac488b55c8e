package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
	"webmcphub/registry/mcpserver"
)

// A node that is taken over answers calls with what it likes: a client gets a result all the same, and no word of
// the node's stands among the endings that are counted.
func TestAnswersOfANode(t *testing.T) {
	var called wire.Called // by the next call
	var l *link.Link
	ready := make(chan struct{})
	l, err := link.Open(link.Options{Self: link.Peer{Role: link.Node, Name: "bad"}, Listen: "127.0.0.1:0", Lost: func(link.Peer, error) {}, Receive: func(from link.Peer, m wire.Message) {
		<-ready
		switch m := m.(type) {
		case wire.Hello:
			_ = l.Send(from, wire.Welcome{Version: 1, Incarnation: "n", Talk: m.Talk})
			tool := wire.Tool{Name: "buy", Doc: 1, Runtime: "native", Number: 1}
			page := wire.Page{ID: "p", Browser: "b", URL: "http://bad.test/", Origin: "http://bad.test", Document: 1, Tools: []wire.Tool{tool}}
			_ = l.Send(from, wire.Whole{At: wire.Position{Incarnation: "n", Version: 1}, Browsers: []wire.Browser{{Name: "b"}}, Pages: []wire.Page{page}, Talk: m.Talk})
		case wire.Request:
			raw, _ := json.Marshal(called)
			_ = l.Send(from, wire.Reply{ID: m.ID, Result: raw})
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	t.Cleanup(l.Close)
	outcomes := make(chan string, 1)
	g := startGateway(t, "gate", nil, func(o *gateway.Options) {
		o.Server.Called = func(r mcpserver.CallRecord) { outcomes <- r.Outcome }
	})
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"bad": l.Addr()})
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
