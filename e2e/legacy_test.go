package e2e

import (
	"fmt"
	"testing"
)

// TestLegacyModelContext: a page that knows only navigator.modelContext has
// tools with --legacy-modelcontext, over both links, and no others; not where
// its origin is denied.
func TestLegacyModelContext(t *testing.T) {
	t.Parallel()
	greets := func(h *hub, p *tab) {
		t.Helper()
		greet := toolName("0", "greet")
		h.waitTool(greet)
		wantText(t, h.call(greet, map[string]any{"name": "you"}), "hello you")
		if got := string(p.eval(`navigator.modelContext === document.modelContext`)); got != "true" {
			t.Errorf("the two are the same: %s", got)
		}
	}
	untouched := func(p *tab) {
		t.Helper()
		if got := string(p.eval(`"modelContext" in navigator`)); got != "false" {
			t.Errorf("the page has navigator.modelContext: %s", got)
		}
	}
	t.Run("over the port", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c, "--legacy-modelcontext", "--deny-origin", "http://localhost:*")
		p := c.open(t, pages.url("lifecycle.html", "tool=a"))
		h.waitTool(toolName("0", "a"))
		p.navigate(pages.url("legacy.html"))
		greets(h, p)
		p.navigate(pages.otherSite("legacy.html"))
		untouched(p)
	})
	t.Run("by the extension", func(t *testing.T) {
		pair := newPairing(t)
		h := startHub(t, append(pair.flags(), "--legacy-modelcontext", "--deny-origin", "http://localhost:*")...)
		c := sharedExtended(t, true)
		p := c.open(t, pages.url("lifecycle.html", "tool=a"))
		c.pair(pair.port, pair.token)
		h.waitTool(toolName("0", "a"))
		p.navigate(pages.url("legacy.html"))
		greets(h, p)
		p.navigate(pages.otherSite("legacy.html"))
		untouched(p)

		p.navigate(pages.url("lifecycle.html", "tool=a"))
		h.waitTool(toolName("0", "a"))
		h.finish()
		again := startHub(t, pair.flags()...) // one that doesn't ask for it
		again.waitTool(toolName("0", "a"))
		p.navigate(pages.url("legacy.html"))
		untouched(p)
	})
	t.Run("with a polyfill of old, which leaves the page to Chrome then", func(t *testing.T) {
		needNPM(t)
		c := nativeChrome(t)
		h := attachHub(t, c, "--legacy-modelcontext")
		p := c.open(t, pages.url("lifecycle.html", "tool=a"))
		h.waitTool(toolName("0", "a"))
		p.navigate(pages.url("dynamic.html", "runtime="+string(early)))
		h.wantRuntime("unlock", "native")
		wantText(t, h.call(toolName("0", "unlock"), nil), "unlocked")
	})
	t.Run("without the flag", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("lifecycle.html", "tool=a"))
		h.waitTool(toolName("0", "a"))
		p.navigate(pages.url("legacy.html"))
		untouched(p)
	})
}

// TestLegacyModelContextOfFrames: frames are judged as their tools are: by the document's
// origin as Chrome has it, whatever their address is, and by their page's. Where
// it is the extension that judges, a frame of another origin than its page's goes without.
func TestLegacyModelContextOfFrames(t *testing.T) {
	t.Parallel()
	says := `<script>parent.postMessage(["modelContext" in navigator, "webmcpHubSparesThis" in window], "*")</script>`
	check := func(t *testing.T, p *tab, what, attributes, want string) {
		t.Helper()
		got := string(p.eval(fmt.Sprintf(`new Promise((resolve) => {
			const frame = document.createElement("iframe");
			addEventListener("message", (e) => e.source === frame.contentWindow && resolve(e.data), { once: false });
			Object.assign(frame, %s);
			document.body.append(frame);
			if (frame.src === "about:blank") resolve(["modelContext" in frame.contentWindow.navigator, "webmcpHubSparesThis" in frame.contentWindow]);
		})`, attributes)))
		if want := "[" + want + ",false]"; got != want {
			t.Errorf("%s has navigator.modelContext and the extension's mark: %s, want %s", what, got, want)
		}
	}
	checkAll := func(t *testing.T, p *tab) {
		t.Helper()
		for _, top := range []struct{ url, own string }{{pages.url("legacy.html"), "true"}, {pages.otherSite("legacy.html"), "false"}} {
			p.navigate(top.url)
			check(t, p, "about:blank of "+top.url, `{ src: "about:blank" }`, top.own)
			check(t, p, "srcdoc of "+top.url, fmt.Sprintf(`{ srcdoc: %q }`, says), top.own)
			check(t, p, "a sandbox of "+top.url, fmt.Sprintf(`{ srcdoc: %q, sandbox: "allow-scripts" }`, says), "false")
			check(t, p, "a denied site's frame in "+top.url, fmt.Sprintf(`{ src: %q }`, pages.otherSite("legacy-says.html")), "false")
			check(t, p, "a permitted site's frame in "+top.url, fmt.Sprintf(`{ src: %q }`, pages.url("legacy-says.html")), top.own)
		}
	}
	t.Run("over the port", func(t *testing.T) {
		c := nativeChrome(t)
		attachHub(t, c, "--legacy-modelcontext", "--deny-origin", "http://localhost:*")
		checkAll(t, c.open(t, pages.url("legacy.html")))
	})
	t.Run("by the extension", func(t *testing.T) {
		pair := newPairing(t)
		h := startHub(t, append(pair.flags(), "--legacy-modelcontext", "--deny-origin", "http://localhost:*")...)
		c := sharedExtended(t, true)
		p := c.open(t, pages.url("lifecycle.html", "tool=a"))
		c.pair(pair.port, pair.token)
		h.waitTool(toolName("0", "a"))
		checkAll(t, p)
	})
}
