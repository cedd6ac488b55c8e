package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// Gateways are upgraded first: nodes of earlier builds, which know titles alone, are asked for these.
func TestTitlesOfAnEarlierNode(t *testing.T) {
	var l *link.Link
	ready := make(chan struct{})
	l, err := link.Open(link.Options{Self: link.Peer{Role: link.Node, Name: "old"}, Listen: "127.0.0.1:0", Lost: func(link.Peer, error) {}, Receive: func(from link.Peer, m wire.Message) {
		<-ready
		switch m := m.(type) {
		case wire.Hello:
			_ = l.Send(from, wire.Welcome{Version: 1, Incarnation: "n", Talk: m.Talk})
			tool := wire.Tool{Name: "buy", Doc: 1, Runtime: "native", Number: 1}
			page := wire.Page{ID: "p", Browser: "b", URL: "http://shop.test/", Origin: "http://shop.test", Title: "Cart", Document: 1, Tools: []wire.Tool{tool}}
			_ = l.Send(from, wire.Whole{At: wire.Position{Incarnation: "n", Version: 1}, Browsers: []wire.Browser{{Name: "b"}}, Pages: []wire.Page{page}, Talk: m.Talk})
		case wire.Request:
			if m.Kind == wire.ReadTitles {
				_ = l.Send(from, wire.Reply{ID: m.ID, Result: json.RawMessage(`{"p":"Cart (1)"}`)})
			} else {
				_ = l.Send(from, wire.Reply{ID: m.ID, Error: &wire.Error{Message: "the node old (v1) doesn't know how to do that"}})
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	t.Cleanup(l.Close)
	g := startGateway(t, "gate", nil)
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"old": l.Addr()})
	a.wants("webmcp_shop_test_page0_buy")
	if list := a.call("list_tabs", `{}`); !strings.Contains(string(list.raw), "Cart (1)") {
		t.Errorf("the tabs are %s", list.raw)
	}
}
