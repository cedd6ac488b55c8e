package e2e

import (
	"os"
	"testing"
)

// TestStorePicture draws the picture that the Chrome Web Store wants, where "make storepicture" says so: the popup in the
// demo's shop, larger than it is.
func TestStorePicture(t *testing.T) {
	file := os.Getenv("WEBMCP_STORE_PICTURE")
	if file == "" {
		t.Skip("this draws a picture: run make storepicture")
	}
	c := extendedChrome(t, true)
	c.open(t, pages.url("plain.html"))
	p := c.popup()
	p.waitFor(`document.getElementById('port').value !== ''`)
	p.page("Emulation.setDeviceMetricsOverride", map[string]any{"width": 800, "height": 500, "deviceScaleFactor": 1.6, "mobile": false}, nil)
	p.eval(`document.documentElement.style = 'display: grid; place-content: center; min-height: 100vh; background: #dfe5ee',
		document.body.style = 'border-radius: 8px; box-shadow: 0 2px 12px #0004'`)
	c.popup().eval(`chrome.tabs.query({}).then(all => all.find(({url}) => url.includes('plain.html')).id).then(id => chrome.runtime.sendMessage({to: 'popup', state: {
		status: 'connected', port: 8765, paired: true, agents: {paused: false, pausedOrigins: [], pausedTabs: [], permissions: {}}, tabs: [
			{id, title: 'Corner Shop', url: 'https://shop.example/', site: 'https://shop.example', active: true, acting: true, tools: [
				{name: 'search', description: 'Finds products by name'}, {name: 'add_to_cart', description: 'Puts a product into the cart'},
				{name: 'checkout', description: 'Orders what is in the cart'}]},
		]}})).then(() => true, () => true)`)
	p.waitFor(`document.querySelectorAll('#tabs ul .row').length === 3`)
	var shot struct{ Data []byte }
	p.page("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	p.must(os.WriteFile(file, shot.Data, 0o644))
}
