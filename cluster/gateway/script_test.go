package gateway_test

import (
	"testing"

	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// scriptedNode is a node that says what a test has it say: it offers the tool "buy" of the page "p" at http://NAME.test/,
// and answers each request with what answer gives. It returns its address.
func scriptedNode(t *testing.T, name string, answer func(wire.Request) wire.Reply) string {
	t.Helper()
	var l *link.Link
	ready := make(chan struct{})
	l, err := link.Open(link.Options{Self: link.Peer{Role: link.Node, Name: name}, Listen: "127.0.0.1:0", Lost: func(link.Peer, error) {}, Receive: func(from link.Peer, m wire.Message) {
		<-ready
		switch m := m.(type) {
		case wire.Hello:
			_ = l.Send(from, wire.Welcome{Version: 1, Incarnation: "n", Talk: m.Talk})
			tool := wire.Tool{Name: "buy", Doc: 1, Runtime: "native", Number: 1}
			page := wire.Page{ID: "p", Browser: "b", URL: "http://" + name + ".test/", Origin: "http://" + name + ".test", Document: 1, Tools: []wire.Tool{tool}}
			_ = l.Send(from, wire.Whole{At: wire.Position{Incarnation: "n", Version: 1}, Browsers: []wire.Browser{{Name: "b"}}, Pages: []wire.Page{page}, Talk: m.Talk})
		case wire.Request:
			r := answer(m)
			r.ID = m.ID
			_ = l.Send(from, r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	t.Cleanup(l.Close)
	return l.Addr()
}
