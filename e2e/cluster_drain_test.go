package e2e

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// TestClusterGatewayFinishesCalls: a gateway that is told to stop finishes the calls under way, and isn't ready
// meanwhile.
func TestClusterGatewayFinishesCalls(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.node(t, "one")
	watch := "http://127.0.0.1:" + freePort(t)
	g := c.gateway(t, "front", "--watch", strings.TrimPrefix(watch, "http://"))
	c.client(t, g, "shop").acquire("one")
	bank := c.client(t, g, "bank")
	ctx, cancel := bank.patience()
	defer cancel()
	waits := bank.start(ctx, "acquire_browser", map[string]any{"labels": []string{"host=one"}, "wait": 4})
	get := func(path string) string {
		resp, err := http.Get(watch + path)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.Status + " " + string(text)
	}
	poll(t, "the call isn't under way", func() bool { return strings.Contains(get("/metrics"), "webmcp_hub_browser_queue 1") })
	g.signal(syscall.SIGTERM)
	poll(t, "the gateway is ready, though it stops", func() bool { return strings.HasPrefix(get("/readyz"), "503 ") })
	r, answered := <-waits
	if !answered || !strings.Contains(textOf(r), `"reason":"none"`) {
		t.Errorf("the call under way got %s", asJSON(r))
	}
	g.waitLeft()
}
