package e2e

import (
	"testing"
	"time"
)

// TestClusterNameTaken: a gateway or node whose name another living one has ends with the reason, and the first loses
// nothing.
func TestClusterNameTaken(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.node(t, "one")
	g := c.gateway(t, "front")
	shop := c.client(t, g, "shop")
	handle := shop.acquire("one")
	for what, m := range map[string]*member{
		"gateway front": c.gateway(t, "front").member,
		"node one":      c.node(t, "one"),
	} {
		select {
		case <-m.exited:
		case <-time.After(patience):
			t.Fatalf("the second %s runs on", what)
		}
		if m.ended == nil {
			t.Errorf("the second %s ended well", what)
		}
		m.stderr.wait(t, "the name "+what+" belongs to another process")
	}
	if r := shop.call("open_tab", map[string]any{"browser": handle, "url": "about:blank"}); r.IsError {
		t.Errorf("the first ones' browser is gone: %s", textOf(r))
	}
}
