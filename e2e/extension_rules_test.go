package e2e

import (
	"strings"
	"testing"
)

// frameHeard is what the page's first iframe, an ads.html, has heard as an MCP
// server.
func frameHeard(p *tab) string {
	p.t.Helper()
	return string(p.eval(`new Promise((resolve) => {
		const ask = setInterval(() => frames[0]?.postMessage('what did you hear?', '*'), 20)
		addEventListener('message', ({ data }) => data?.heard !== undefined && (clearInterval(ask), resolve(data.heard)))
	})`))
}

// scriptInPage says whether the extension's script for polyfills listens among the
// page's own.
func scriptInPage(p *tab) string {
	p.t.Helper()
	return string(p.eval(`(() => {
		const name = 'webmcp-hub-` + strings.TrimPrefix(extensionOrigin, "chrome-extension://") + `-'
		let answered = false
		addEventListener(name + 'hello', () => { answered = true }, { capture: true, once: true })
		dispatchEvent(new Event(name + 'anyone'))
		return answered
	})()`))
}

// The extension keeps to the rules for origins itself: in a page that they deny, in
// a denied frame, and in any frame of a denied page its scripts do nothing. They
// stop and begin again with the rules of another hub, and those of the last one
// hold while there is none.
func TestExtensionKeepsToTheRules(t *testing.T) {
	t.Parallel()
	own, other := strings.TrimSuffix(pages.url(""), "/"), strings.TrimSuffix(pages.otherSite(""), "/")
	asks := func(t *testing.T, want bool, got string) {
		t.Helper()
		if strings.Contains(got, "mcp-check-ready") != want || !want && got != `""` {
			t.Errorf("a page that is to be asked: %v, hears %s", want, got)
		}
	}

	t.Run("with frames", func(t *testing.T) {
		pair := newPairing(t)
		c := sharedExtended(t, true)
		mixed := c.open(t, pages.url("frames.html", "src="+pages.otherSite("ads.html", "byhand=")))
		denied := c.open(t, pages.otherSite("frames.html", "src="+pages.url("ads.html", "byhand=")))
		mixed.waitFor(`frames.length`)

		h := startHub(t, append(pair.flags(), "--deny-origin", other)...)
		c.pair(pair.port, pair.token)
		h.waitNames(toolName("0", "outer"))
		mixed.navigate(pages.url("frames.html", "src="+pages.otherSite("ads.html", "byhand="))) // now with the rules
		denied.navigate(pages.otherSite("frames.html", "src="+pages.url("ads.html", "byhand=")))
		late := c.open(t, pages.url("frames.html", "src="+pages.url("ads.html", "byhand=")))
		h.waitNames(toolName("0", "outer"), toolName("2", "outer"), toolName("2", "forged")) // so the others would have been asked, too
		asks(t, true, frameHeard(late))
		asks(t, false, frameHeard(mixed))
		asks(t, false, frameHeard(denied))
		late.close()
		h.finish()

		h = startHub(t, pair.flags()...) // without rules
		h.waitNames(toolName("0", "outer"), toolName("0", "forged"), toolName("1", "outer"), toolName("1", "forged"))
		asks(t, true, frameHeard(mixed))
		asks(t, true, frameHeard(denied))
		wantText(t, h.call(toolName("1", "forged"), nil), "forged ran")
		h.finish()

		h = startHub(t, append(pair.flags(), "--allow-origin", other)...)
		h.waitNames(toolName("1", "outer"))
		h.finish()
	})

	t.Run("among the page's scripts", func(t *testing.T) {
		pair := newPairing(t)
		c := sharedExtended(t, false)
		early := c.open(t, pages.otherSite("ads.html", "byhand="))
		early.waitFor(`asked.includes('tools/list')`) // no hub has said anything yet
		if got := scriptInPage(early); got != "true" {
			t.Errorf("before any hub came the script for polyfills is in the page: %s", got)
		}

		h := startHub(t, append(pair.flags(), "--deny-origin", other)...)
		c.pair(pair.port, pair.token)
		p := c.open(t, pages.url("ads.html", "byhand="))
		h.waitTool(toolName("1", "forged"))
		if got := scriptInPage(early); got != "false" {
			t.Errorf("after it was denied the script for polyfills is in the page: %s", got)
		}
		if got := scriptInPage(p); got != "true" {
			t.Errorf("where it is permitted the script for polyfills is in the page: %s", got)
		}
		early.navigate(pages.otherSite("ads.html", "byhand="))
		p.navigate(pages.url("ads.html", "byhand=", "again="))
		p.waitFor(`asked.includes('tools/list')`)
		asks(t, false, string(early.eval(`asked.join()`)))
		if got := scriptInPage(early); got != "false" {
			t.Errorf("where it is denied the script for polyfills is in the page: %s", got)
		}
		h.finish()

		// Without a hub the last one's rules hold.
		early.navigate(pages.otherSite("ads.html", "byhand=", "alone="))
		p.navigate(pages.url("ads.html", "byhand=", "alone="))
		p.waitFor(`asked.includes('tools/list')`)
		asks(t, false, string(early.eval(`asked.join()`)))

		h = startHub(t, append(pair.flags(), "--deny-origin", own)...) // the other way round
		early.waitFor(`asked.includes('tools/list')`)
		h.waitTool(toolName("0", "forged"))
		h.waitNames(toolName("0", "forged"))
		if got := scriptInPage(p); got != "false" {
			t.Errorf("where it is denied now the script for polyfills is in the page: %s", got)
		}
		h.finish()
	})
}
