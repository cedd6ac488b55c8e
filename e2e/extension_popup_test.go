package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

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

// TestPopupForAll: with many tools and with none, by day and by night, the popup can be read, fits its width, has one row
// for each tool, and can be used by keys alone.
func TestPopupForAll(t *testing.T) {
	t.Parallel()
	c := sharedExtended(t, true)
	c.open(t, pages.url("plain.html"))
	p := c.popup()
	p.waitFor(`document.getElementById('port').value !== ''`)
	q := c.popup()
	isShown := func(tools int) string {
		return fmt.Sprintf(`document.querySelectorAll('#tabs ul .row').length === %d && !document.getElementById('agents').hidden && !document.getElementById('site').hidden`, tools)
	}
	tell := func(tools int, agents string) {
		t.Helper()
		poll(t, "the popup doesn't show the state", func() bool { // the extension may tell its own state meanwhile
			q.eval(fmt.Sprintf(`chrome.tabs.query({}).then(all => all.find(({url}) => url.includes('plain.html')).id).then(id => chrome.runtime.sendMessage({to: 'popup', state: {status: 'connected', port: 1, paired: true, agents: %s, tabs: [
				{id, title: 'A page '.repeat(30), url: 'https://a.example/', site: 'https://' + 'long.'.repeat(40) + 'example', active: true, acting: true, automation: 'on', tools: Array.from({length: %d}, (_, i) => ({name: 'tool_' + i + '_x'.repeat(40), description: 'Does much '.repeat(20)}))},
				{id: -1, title: 'Another', url: 'https://b.example/', active: false, automation: 'ended', tools: []},
			]}})).then(() => true, () => true)`, agents, tools))
			return string(p.eval(isShown(tools))) == "true"
		})
	}
	const (
		sticksOut = `[Math.max(document.documentElement.scrollWidth, document.querySelector('#tabs').scrollWidth), ...[...document.querySelectorAll('main *:not(.row *)')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 200)).slice(0, 3)]`
		notRows   = `[...document.querySelectorAll('.row, button, select, summary')].filter((e) => e.checkVisibility()).filter((e) => e.getBoundingClientRect().height < 24 || e.matches('.row:not(:focus)') && e.getBoundingClientRect().height > 30).map((e) => e.outerHTML.slice(0, 200)).slice(0, 3)`
	)
	for _, scheme := range []string{"light", "dark"} {
		p.page("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		p.page("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 600, "deviceScaleFactor": 1, "mobile": false}, nil)
		for _, tools := range []int{0, 500} {
			for _, agents := range []string{`{paused: false, pausedOrigins: [], pausedTabs: [], permissions: {}}`, `{paused: true, pausedOrigins: ['https://' + 'long.'.repeat(40) + 'example'], pausedTabs: [], permissions: {}}`} {
				var wrong []string
				for shown := "false"; shown != "true"; { // the extension may tell its own state meanwhile
					tell(tools, agents)
					wrong = []string{p.axe(), string(p.eval(sticksOut)), string(p.eval(notRows))}
					shown = string(p.eval(isShown(tools)))
				}
				if strings.Join(wrong, " ") != "[true] [360] []" {
					t.Errorf("%s, %d tools, %s: axe finds %s, the width and what sticks out are %s, and too low or more than a row are %s", scheme, tools, agents, wrong[0], wrong[1], wrong[2])
				}
			}
		}
	}
	p.page("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	p.eval(`document.activeElement.blur()`)
	var seen []string
	for range 12 {
		p.key("Tab", 9, "")
		seen = append(seen, strings.Trim(string(p.eval(`document.activeElement.id || document.activeElement.className || document.activeElement.localName`)), `"`))
	}
	all := strings.Join(seen, " ")
	for _, want := range []string{"pause-all", "pause-site", "permission", "row title", "end", "allow"} {
		if !strings.Contains(all, want) {
			t.Errorf("the Tab key never reaches %q: %s", want, all)
		}
	}
	if n := strings.Count(all, "row"); n > 3 {
		t.Errorf("the list takes %d presses of the Tab key: %s", n, all)
	}
	p.eval(`document.querySelector('.row').focus()`)
	p.key("End", 35, "")
	p.key("ArrowUp", 38, "")
	if at := string(p.eval(`(() => { const e = document.activeElement, b = e.getBoundingClientRect(), l = document.getElementById('tabs').getBoundingClientRect(); return [e.firstChild.textContent.slice(0, 8), getComputedStyle(e).outlineStyle, b.bottom <= l.bottom + 1, e.scrollWidth <= e.clientWidth] })()`)); at != `["tool_499","solid",true,true]` {
		t.Errorf("the keys lead to %s", at)
	}
}

// TestPopupSetsWhatAgentsMayDo: what a person sets in the popup holds in the hub, without --safe, and is shown again when
// the extension has connected anew.
func TestPopupSetsWhatAgentsMayDo(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	page := c.open(t, pages.url("lifecycle.html", "tool=a"))
	c.pair(pair.port, pair.token)
	a := toolName("0", "a")
	h.waitTool(a)
	p := c.popup()
	p.shows("Connected")
	p.waitFor(`!document.getElementById('agents').hidden && !document.getElementById('site').hidden`)
	site := strings.Trim(string(p.eval(`document.getElementById('site-name').title`)), `"`)
	if !strings.HasPrefix(pages.url("lifecycle.html"), site+"/") {
		t.Fatalf("the site is %s", site)
	}
	press := func(id, then string) {
		t.Helper()
		p.eval(fmt.Sprintf(`document.getElementById(%q).click()`, id))
		p.waitFor(fmt.Sprintf(`document.getElementById('paused').textContent === %q`, then))
	}
	badge := func(want string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`chrome.tabs.query({}).then(all => chrome.action.getBadgeText({tabId: all.find(({url}) => url.includes('lifecycle.html')).id})).then(text => window.badge = text), window.badge === %q`, want))
	}
	works := func() {
		t.Helper()
		wantText(t, h.call(a, nil), "a ran")
	}
	works()
	badge("2")

	press("pause-all", "All agents are paused.")
	wantError(t, h.call(a, nil), "the user has paused all agents")
	badge("❚❚")
	p.eval(`import('./lib/config.js').then(({readConfig}) => readConfig()).then(config => { document.getElementById('paused').textContent = 'old'; chrome.runtime.sendMessage({to: 'link', config, again: true}); })`)
	p.waitFor(`!document.getElementById('agents').hidden && document.getElementById('paused').textContent === 'All agents are paused.'`)
	h.waitTool(a)
	wantError(t, h.call(a, nil), "the user has paused all agents")
	press("pause-all", "")
	works()

	press("pause-site", "Agents are paused on this site.")
	wantError(t, h.call(a, nil), "the user has paused agents on "+site)
	press("pause-site", "")
	works()
	badge("2")

	choose := func(value string) {
		t.Helper()
		p.eval(fmt.Sprintf(`(() => { const s = document.getElementById('permission'); s.value = %q; s.dispatchEvent(new Event('change')); })()`, value))
	}
	revoke := func(what string) (said string, code int) {
		t.Helper()
		var id string
		poll(t, "the rules don't list it: "+what, func() bool {
			out, _, _ := runHub(t, "rules")
			found := regexp.MustCompile(`(?m)^(\w+)  permission: ` + what + " on " + regexp.QuoteMeta(site)).FindStringSubmatch(out)
			if found != nil {
				id = found[1]
			}
			return found != nil
		})
		_, said, code = runHub(t, "rules", "revoke", id)
		return said, code
	}
	choose("never")
	poll(t, "never doesn't hold", func() bool { return h.call(a, nil).IsError })
	wantError(t, h.call(a, nil), `the user has chosen "Never" for `+site)
	if said, code := revoke("nothing is allowed"); code == 0 || !strings.Contains(said, "only a person can do this") {
		t.Errorf("never is taken back without a person: %s", said)
	}
	choose("allow")
	poll(t, "allow doesn't hold", func() bool { return !h.call(a, nil).IsError })
	if said, code := revoke("no questions of rules"); code != 0 {
		t.Fatal(said)
	}
	p.waitFor(`document.getElementById('permission').value === 'default'`)
	works()

	choose("ask")
	poll(t, "ask doesn't hold", func() bool { return h.call(a, nil).IsError })
	wantError(t, h.call(a, nil), `the user has chosen "Ask" for `+site)
	choose("default")
	poll(t, "ask isn't taken back", func() bool { return !h.call(a, nil).IsError })

	if r := h.call("open_tab", map[string]any{"url": "chrome-extension://" + extensionID + "/popup.html"}); !r.IsError {
		t.Errorf("an agent opens the popup: %s", textOf(r))
	}
	if said := textOf(h.call("list_tabs", nil)); strings.Contains(said, extensionID) {
		t.Errorf("an agent sees the popup: %s", said)
	}

	const still = `document.getElementById('moved').hidden === %v && document.getElementById('pause-site').disabled !== %[1]v && document.getElementById('permission').disabled !== %[1]v && document.getElementById('site-name').title === %q`
	page.navigate(pages.otherSite("plain.html"))
	p.waitFor(fmt.Sprintf(still, false, site))
	page.navigate(pages.url("plain.html"))
	p.waitFor(fmt.Sprintf(still, true, site))

	// An offscreen document that dies leaves its badges. The next one takes away what is no longer so.
	const tabID = `chrome.tabs.query({}).then(all => all.find(({url}) => url.includes('plain.html')).id)`
	p.eval(tabID + `.then(tabId => chrome.action.setBadgeText({tabId, text: '9'})).then(() => chrome.offscreen.closeDocument())`)
	page.eval(`document.title = 'Another'`) // the worker hears of the tab, and has the next document made
	p.waitFor(tabID + `.then(tabId => chrome.action.getBadgeText({tabId})).then(text => window.badge = text), window.badge === ''`)
}
