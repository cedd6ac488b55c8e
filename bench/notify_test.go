package bench

import (
	"testing"
	"time"
)

// rest is how long a hub is left alone before the next change, several times
// its flush interval.
const rest = 25 * time.Millisecond

// BenchmarkRegisterToNotify measures the time from a page's registerTool until
// the client holds the line of notifications/tools/list_changed, on a hub at
// rest, 500 times an op. The page reads its clock just before it calls
// registerTool; ns/op is the median from there. The page's clock and ours are
// both the machine's wall clock: clock-ahead says how far the page's was seen
// to be ahead, and clock-exact how exactly that can be seen. asked-to-notify starts
// earlier, at our request to the page, on one clock.
func BenchmarkRegisterToNotify(b *testing.B) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.address(10))
	h := attachHub(b, chrome)
	defer h.end(b)
	h.listUntil(b, having(11))
	h.quiet(b, rest)
	ahead, exact := cdp.clockOffset(b, page)

	var registered, unregistered, asked samples
	change := func(script string) (fromPage, fromUs time.Duration) {
		before, begin := h.changes, time.Now()
		id := cdp.postScript(b, page, `(() => { const at = now(); `+script+`; return at })()`)
		h.awaitChange(b)
		changed := h.changed
		at := pageTime(b, cdp.value(b, id))
		h.quiet(b, rest)
		if n := h.changes - before; n != 1 {
			b.Fatalf("%s caused %d notifications", script, n)
		}
		return changed.Sub(at), changed.Sub(begin)
	}
	for b.Loop() {
		for range 500 {
			p, u := change(`add("extra")`)
			registered, asked = append(registered, p), append(asked, u)
			p, _ = change(`remove("extra")`)
			unregistered = append(unregistered, p)
		}
	}
	if got := len(h.list(b)); got != 11 {
		b.Fatalf("%d tools are listed at the end", got)
	}
	b.ReportMetric(float64(registered.quantile(0.5)), "ns/op")
	registered.report(b, "register-to-notify")
	unregistered.report(b, "unregister-to-notify")
	asked.report(b, "asked-to-notify")
	b.ReportMetric(micros(ahead), "clock-ahead-µs")
	b.ReportMetric(micros(exact), "clock-exact-µs")
}

// BenchmarkRegisterToBare is the same without a hub: until a bare CDP client
// has read WebMCP.toolsAdded. No hub can know sooner.
func BenchmarkRegisterToBare(b *testing.B) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.address(10))
	cdp.command(b, page.session, "WebMCP.enable", `{}`, nil)
	var registered samples
	for b.Loop() {
		for range 500 {
			id := cdp.postScript(b, page, `(() => { const at = now(); add("extra"); return at })()`)
			cdp.until(b, `{"method":"WebMCP.toolsAdded"`)
			told := time.Now()
			registered = append(registered, told.Sub(pageTime(b, cdp.value(b, id))))
			cdp.evaluate(b, page, `remove("extra")`)
			<-time.After(rest) // as far apart as the hub's
		}
	}
	b.ReportMetric(float64(registered.quantile(0.5)), "ns/op")
	registered.report(b, "register-to-event")
}

// BenchmarkFreshPage measures the time from the moment when a page that has
// just been opened has registered its 10 tools, by its own clock, until a
// client that lists at each list_changed holds all 10.
func BenchmarkFreshPage(b *testing.B) {
	const rounds = 50
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	cdp.create(b, "about:blank") // Chrome ends with its last tab
	h := attachHub(b, chrome)
	defer h.end(b)
	h.listUntil(b, having(0))
	var listed, whole samples
	for b.Loop() {
		for range rounds {
			begin := time.Now()
			target := cdp.create(b, chrome.address(9))
			h.listUntil(b, having(10))
			at := time.Now()
			page := cdp.attach(b, target)
			listed = append(listed, at.Sub(pageTime(b, cdp.evaluate(b, page, `registered`))))
			whole = append(whole, at.Sub(begin))
			cdp.close(b, page)
			h.listUntil(b, having(0))
			h.quiet(b, rest)
		}
	}
	b.ReportMetric(float64(listed.quantile(0.5)), "ns/op")
	listed.report(b, "registered-to-listed")
	whole.report(b, "created-to-listed")
}
