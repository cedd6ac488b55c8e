package gateway_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// lines is what a logger has said.
type lines struct {
	mu   sync.Mutex
	all  string
	more chan struct{} // closed and replaced when there is more
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all += string(line)
	close(l.more)
	l.more = make(chan struct{})
	return len(line), nil
}

func (l *lines) awaits(t *testing.T, what string) {
	t.Helper()
	for end := time.After(patience); ; {
		l.mu.Lock()
		all, more := l.all, l.more
		l.mu.Unlock()
		if strings.Contains(all, what) {
			return
		}
		select {
		case <-more:
		case <-end:
			t.Fatalf("it was not logged that %q:\n%s", what, all)
		}
	}
}

// takenOver is a node that says what it likes, and heeds nothing.
func takenOver(t *testing.T, name string, says func(talk string, tell func(wire.Message))) *link.Link {
	var l *link.Link
	ready := make(chan struct{})
	l, err := link.Open(link.Options{Self: link.Peer{Role: link.Node, Name: name}, Listen: "127.0.0.1:0", Lost: func(link.Peer, error) {}, Receive: func(from link.Peer, m wire.Message) {
		<-ready
		tell := func(m wire.Message) { _ = l.Send(from, m) } // too much at times
		if hello, is := m.(wire.Hello); is {
			tell(wire.Welcome{Version: 1, Incarnation: "n", Talk: hello.Talk})
			says(hello.Talk, tell)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	t.Cleanup(l.Close)
	return l
}

// A node that tells more than a gateway keeps of any is refused with the reason, and others go on.
func TestNodeWithTooMuchIsRefused(t *testing.T) {
	at := func(version int) wire.Position { return wire.Position{Incarnation: "n", Version: uint64(version)} }
	bad := takenOver(t, "bad", func(talk string, tell func(wire.Message)) {
		heavy := wire.Tool{Name: "heavy", Doc: 1, Runtime: "native", Description: strings.Repeat("x", 1<<20), Number: 1}
		tell(wire.Whole{At: at(1), Browsers: []wire.Browser{{Name: "b"}}, Pages: []wire.Page{{ID: "p", Browser: "b", URL: "http://bad.test/", Origin: "http://bad.test", Document: 1, Tools: []wire.Tool{heavy}}}, Talk: talk})
		again := wire.ToolChanges{Numbers: slices.Repeat([]wire.Run{{1, 1}}, 40)} // small when it is sent
		tell(wire.Changes{From: 1, At: at(2), Edits: []wire.Edit{{ID: "p", Tools: &again}}, Talk: talk})
	})
	one := startNode(t, "one")
	one.open("http://shop.test/", tool("buy", says("bought")))
	log := &lines{more: make(chan struct{})}
	g := startGateway(t, "gate", nil, func(o *gateway.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"one": one.Addr(), "bad": bad.Addr()})
	log.awaits(t, "the node is not heeded for 30s: its pages offer more than 32 MiB")
	log.awaits(t, `msg="a node was lost" node=bad why="it is refused: its pages offer more than 32 MiB"`)
	a.wants("webmcp_shop_test_page0_buy")
	a.gives("webmcp_shop_test_page0_buy", "bought")
}
