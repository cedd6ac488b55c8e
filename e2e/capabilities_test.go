package e2e

import (
	"strings"
	"testing"
)

// TestBrowserCapabilities: what a page's own MCP server declares of MCP-B's
// capabilities, a client that initialises while it is open finds at the hub.
func TestBrowserCapabilities(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--browser-url", c.browserURL())
	declared := func() string { return asJSON(w.connect(t).client.GetServerCapabilities().Experimental) }
	first := w.connect(t)
	if got := declared(); strings.Contains(got, "browser") {
		t.Errorf("no page declares any, but the hub %s", got)
	}
	p := c.open(t, pages.url("declares.html"))
	first.waitTool(toolName("0", "declared"))
	if got := declared(); !strings.Contains(got, `"browser":{"cacheSupported":true,"elicitation":false,"multiTabSupport":true}`) {
		t.Errorf("a page declares that it can be cached, the hub %s", got)
	}
	p.close()
	poll(t, "the hub goes on to declare what a page did that was closed", func() bool { return !strings.Contains(declared(), "browser") })
}
