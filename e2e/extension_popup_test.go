package e2e

import "testing"

// TestPopupFitsItsWidth: however long titles, addresses and names are, nothing
// of the popup is cut off or has to be scrolled sideways.
func TestPopupFitsItsWidth(t *testing.T) {
	t.Parallel()
	c := sharedExtended(t, true)
	p, q := c.popup(), c.popup()
	p.page("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 600, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.eval(`window.width = new Promise(resolve => new MutationObserver(() => {
		if (document.querySelector('.title')) resolve(Math.max(document.documentElement.scrollWidth, document.querySelector('#tabs').scrollWidth));
	}).observe(document.querySelector('#tabs'), {childList: true})), true`)
	q.eval(`chrome.runtime.sendMessage({to: 'popup', state: {status: 'connected', port: 1, paired: true, tabs: [
		{id: 1, title: 'long '.repeat(50), url: 'https://a.example/', active: true, tools: [{name: 'x'.repeat(128), description: ''}]},
		{id: 2, title: '', url: 'https://a.example/' + 'x'.repeat(500), active: false, tools: []},
	]}}).then(() => true, () => true)`)
	if got := string(p.eval(`window.width`)); got != "360" {
		t.Errorf("the popup is %s px wide", got)
	}
}
