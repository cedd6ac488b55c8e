package gateway_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
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

// A node that tells more than a gateway keeps of any is refused with the reason, and others go on.
func TestNodeWithTooMuchIsRefused(t *testing.T) {
	again := &api.Delta{From: 1, Version: 2, Pages: []*api.Page{{Id: "p", Tools: &api.Tools{Numbers: slices.Repeat([]uint64{1}, 40)}}}} // small when it is sent
	heavy := onePage("bad", &api.Tool{Name: "heavy", Description: strings.Repeat("x", 1<<20)})
	bad := script{told: delta(heavy, again)}.serve(t, "bad")
	one := startNode(t, "one")
	one.open("http://shop.test/", tool("buy", says("bought")))
	log := &lines{more: make(chan struct{})}
	g := startGateway(t, "gate", nil, func(o *gateway.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	a := connect(t, g, "")
	g.SetNodes(map[string]string{"one": one.Addr(), "bad": bad})
	log.awaits(t, "the node is ignored for 30s: its pages offer more than 32 MiB")
	log.awaits(t, `msg="a node was lost" node=bad why="it is refused: its pages offer more than 32 MiB"`)
	a.wants("webmcp_shop_test_page0_buy")
	a.gives("webmcp_shop_test_page0_buy", "bought")
}
