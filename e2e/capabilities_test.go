package e2e

import (
	"strings"
	"testing"
)

// TestBrowserCapabilities: what a page's own MCP server declares of MCP-B's
// capabilities, a client that initialises while it is open finds at the hub: over both
// links, of a server by hand and of @mcp-b/global's.
func TestBrowserCapabilities(t *testing.T) {
	t.Parallel()
	byHand := []string{"declares.html"}
	bySDK := []string{"declares-sdk.html", "runtime=" + string(mcpb5)}
	const (
		cached = `"browser":{"cacheSupported":true,"elicitation":false,"multiTabSupport":true}`
		asks   = `"browser":{"cacheSupported":true,"elicitation":true,"multiTabSupport":true}`
	)
	declared := func(t *testing.T, w *webHub) string {
		t.Helper()
		return asJSON(w.connect(t).client.GetServerCapabilities().Experimental)
	}
	follows := func(t *testing.T, w *webHub, c *chrome, page []string, want string) {
		t.Helper()
		first := w.connect(t)
		if got := declared(t, w); strings.Contains(got, "browser") {
			t.Errorf("no page declares any, but the hub %s", got)
		}
		p := c.open(t, pages.url(page[0], page[1:]...))
		declares := first.waitTools("the page's tool", func(l toolList) bool { return find(l, toolName("0", "declared")) != nil })
		poll(t, "the hub declares what the page does", func() bool { return strings.Contains(declared(t, w), want) })
		wantText(t, first.call(find(declares, toolName("0", "declared")).Name, nil), "there")
		p.close()
		poll(t, "the hub goes on to declare what a page did that was closed", func() bool { return !strings.Contains(declared(t, w), "browser") })
	}
	t.Run("over the port", func(t *testing.T) {
		c := nativeChrome(t)
		follows(t, startWeb(t, "--browser-url", c.browserURL()), c, byHand, cached)
	})
	t.Run("over the port, by the package", func(t *testing.T) {
		needNPM(t)
		c := nativeChrome(t)
		follows(t, startWeb(t, "--browser-url", c.browserURL()), c, bySDK, asks)
	})
	for what, native := range map[string]bool{"with native WebMCP": true, "without": false} {
		t.Run("by the extension, by the package, "+what, func(t *testing.T) {
			needNPM(t)
			pair := newPairing(t)
			w := startWeb(t, pair.flags()...)
			c := sharedExtended(t, native)
			c.pair(pair.port, pair.token)
			follows(t, w, c.chrome, bySDK, asks)
		})
	}
}
