package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const pairingToken = "e2e-pairing-token"

// An extended Chromium has the extension loaded.
type extended struct {
	*chrome
	t *testing.T
}

// extendedChrome is one for this test alone, for tests that harm it.
func extendedChrome(t *testing.T, webmcp bool, more ...string) extended {
	t.Helper()
	return extended{ownChromeWith(t, webmcp, append(more, loadExtension(t))...), t}
}

// sharedExtended is one that other tests have used and will use, unpaired.
func sharedExtended(t *testing.T, webmcp bool) extended {
	t.Helper()
	if webmcp {
		return extended{withExtension.lend(t), t}
	}
	return extended{withExtensionAndWithoutNative.lend(t), t}
}

func launchExtended(t *testing.T, webmcp bool) *chrome {
	t.Helper()
	return mustLaunch(t, webmcp, loadExtension(t))
}

func loadExtension(t *testing.T) string {
	t.Helper()
	extension, err := filepath.Abs("../extension")
	if err != nil {
		t.Fatal(err)
	}
	return "--load-extension=" + extension
}

// unpair leaves the extension as it was installed, but for the name that it has
// given its browser: it has no connection, and tries to get none.
func unpair(t *testing.T, c *chrome) {
	t.Helper()
	extended{c, t}.within(`chrome.storage.local.get(null).then(all => chrome.storage.local.remove(Object.keys(all).filter(key => key !== 'instance')))
		.then(() => new Promise(resolve => {
			const again = () => setTimeout(look, 20);
			const look = () => chrome.runtime.sendMessage({to: 'link', ask: 'state'}).then(({status}) => status === 'unpaired' ? resolve(true) : again(), again);
			look();
		}))`)
}

// within runs a script in the extension's service worker, which costs far less than a tab with the popup. While the
// worker sleeps, the popup has to do.
func (c extended) within(script string) {
	c.t.Helper()
	w := &tab{t: c.t, chrome: c.chrome, target: c.worker()}
	if w.target == "" {
		w = c.popup()
		defer w.close()
	} else {
		w.attach()
		defer w.browser("Target.detachFromTarget", map[string]any{"sessionId": w.session}, nil) // an attached worker never sleeps
		poll(c.t, "the extension's worker doesn't begin", func() bool {                         // one that Chrome has just started has no API yet
			return string(w.eval(`globalThis.chrome?.storage !== undefined`)) == "true"
		})
	}
	w.eval(script)
}

// popup opens the extension's popup as a tab.
func (c extended) popup() *tab {
	c.t.Helper()
	return c.open(c.t, "chrome-extension://"+extensionID+"/popup.html")
}

// pair stores the token and the port, as the popup does with what a user enters there (TestExtensionPairing).
func (c extended) pair(port, token string) {
	c.t.Helper()
	c.within(fmt.Sprintf(`chrome.storage.local.set({token: %q, port: %s})`, token, port))
}

// waitFor waits until an expression is true in the page.
func (p *tab) waitFor(expression string) {
	p.t.Helper()
	p.eval(`new Promise(resolve => { const look = () => (` + expression + `) ? resolve(true) : setTimeout(look, 20); look(); })`)
}

// hubAndChrome are a scripted hub and a shared Chromium whose extension is paired with it.
func hubAndChrome(t *testing.T, webmcp bool) (*scriptedHub, extended) {
	t.Helper()
	h := startScriptedHub(t, pairingToken, "")
	c := sharedExtended(t, webmcp)
	h.pair(c)
	return h, c
}

// hubAndOwnChrome are the same with a Chromium for this test alone.
func hubAndOwnChrome(t *testing.T, webmcp bool) (*scriptedHub, extended) {
	t.Helper()
	h := startScriptedHub(t, pairingToken, "")
	c := extendedChrome(t, webmcp)
	h.pair(c)
	return h, c
}

func (h *scriptedHub) pair(c extended) {
	h.t.Helper()
	c.pair(h.port, pairingToken)
	h.wait("the extension", func() bool { return h.browser != nil })
}

// worker is the target of the extension's service worker, "" while it sleeps.
func (c extended) worker() (id string) {
	c.t.Helper()
	for _, info := range c.extensionTargets() {
		if info.Type == "service_worker" {
			id = info.TargetID
		}
	}
	return id
}

func (c extended) extensionTargets() (own []target) {
	c.t.Helper()
	var all struct{ TargetInfos []target }
	if err := c.withPatience("", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all); err != nil {
		c.t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if strings.HasPrefix(info.URL, "chrome-extension://"+extensionID) {
			own = append(own, info)
		}
	}
	return own
}

// evict ends the extension's service worker, as Chrome does after 30 s of rest.
func (c extended) evict() {
	c.t.Helper()
	id := c.worker()
	if id != "" {
		if err := c.withPatience("", "Target.closeTarget", map[string]any{"targetId": id}, nil); err != nil {
			c.t.Fatal(err)
		}
	}
	poll(c.t, "the extension's worker lives on", func() bool { return id == "" || c.worker() != id })
}

// developerMode is what a user switches on to load the extension from a folder.
// Without it, Chrome disables such an extension when it is reloaded.
func (c extended) developerMode() {
	c.t.Helper()
	p := c.open(c.t, "chrome://extensions")
	p.waitFor(`chrome.developerPrivate`)
	p.eval(`chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true })`)
	p.close()
}
