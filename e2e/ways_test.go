package e2e

import "testing"

// everyWay runs a test over each way in: a hub attached to the shared Chromium,
// and one that a Chromium's extension connects to. webmcp says whether Chromium
// has WebMCP of its own, flags are the hub's.
func everyWay(t *testing.T, webmcp bool, flags []string, test func(t *testing.T, h *hub, c *chrome)) {
	t.Run("devtools", func(t *testing.T) {
		c := plainChrome
		if webmcp {
			c = nativeChrome
		}
		browser := c(t)
		test(t, attachHub(t, browser, flags...), browser)
	})
	t.Run("extension", func(t *testing.T) {
		pair := newPairing(t)
		h := startHub(t, append(pair.flags(), flags...)...)
		c := sharedExtended(t, webmcp)
		c.pair(pair.port, pair.token)
		test(t, h, c.chrome)
	})
}
