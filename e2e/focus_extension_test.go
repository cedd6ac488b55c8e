package e2e

import (
	"os"
	"slices"
	"testing"
)

// TestFocusModeWithExtension: with --extension a client in focus mode may have a
// Chrome started, while browsers come by their extension; it goes from a tab of
// the one to a tab of the other.
func TestFocusModeWithExtension(t *testing.T) {
	t.Parallel()
	chromePath(t)
	pair, profile := newPairing(t), t.TempDir()
	flags := append(pair.flags(), "--headless", "--user-data-dir", profile)
	h := startFocus(t, flags...)
	h.told(0, 0, notConnected...)
	h.refuses("connect_browser", nil, "Chrome with the WebMCP Hub extension enabled")
	if n := chromes(profile); n != 0 {
		t.Errorf("%d Chromes were started without launch: true", n)
	}
	h.told(0, 0, notConnected...)
	h.does("connect_browser", map[string]any{"launch": true}, `"connected":true,"browser":{"name":"Chrome"`)
	h.opens(pages.url("shop.html"), shopFocused, `"toolsAvailable":["add_to_cart","search"]`)
	h.becomes(shopFocused...)
	h.does("search", map[string]any{"q": "it"}, "found it")
	shop := h.tabID("shop.html")

	c := sharedExtended(t, true)
	c.open(t, pages.url("dynamic.html"))
	c.pair(pair.port, pair.token)
	dyn := h.tabID("dynamic.html")
	h.offers("unlock")
	h.becomes(shopFocused...)
	h.does("focus_tab", map[string]any{"tabId": dyn}, `"toolsAvailable":["first","unlock"]`)
	h.becomes(dynFocused...)
	h.does("first", nil, "first ran")
	h.does("unlock", nil, "unlocked")
	h.becomes(append(slices.Clone(dynFocused[:4]), "first", "secret", "unlock")...)
	h.does("focus_tab", map[string]any{"tabId": shop}, `"success":true`)
	h.does("search", map[string]any{"q": "me"}, "found me")
	h.does("close_tab", nil, `"closed":true`)
	h.becomes(noneFocused...)
	h.does("focus_tab", map[string]any{"tabId": dyn}, `"success":true`)
	h.does("close_tab", map[string]any{"tabId": dyn}, `"closed":true`)
}

// TestFocusModeTakesTheExtensionsBrowser where there is one, whatever launch says.
func TestFocusModeTakesTheExtensionsBrowser(t *testing.T) {
	t.Parallel()
	pair, profile := newPairing(t), t.TempDir()
	h := startFocus(t, append(pair.flags(), "--headless", "--user-data-dir", profile)...)
	c := sharedExtended(t, true)
	c.pair(pair.port, pair.token)
	h.stderr.wait(t, "extension has connected")
	h.does("connect_browser", map[string]any{"launch": true}, `"connected":true`)
	if there, err := os.ReadDir(profile); err != nil || len(there) > 0 {
		t.Errorf("Chrome was started: %v, %v", there, err)
	}
	h.opens(pages.url("shop.html"), shopFocused, `"toolsAvailable":["add_to_cart","search"]`)
	h.becomes(shopFocused...)
	h.does("search", map[string]any{"q": "it"}, "found it")
	h.does("close_tab", nil, `"closed":true`)
}
