package bench

import (
	"testing"
	"time"
)

// restTime is how long a hub is left alone before its memory is read.
const restTime = time.Second

// BenchmarkMemory measures the hub's resident memory (VmRSS) in MiB, one second
// after the last change: at start, initialized and listed but without a
// Chrome; attached to a Chrome with one empty tab; and with 50 pages of 10 tools, all
// listed. The last is read again after 5,000 calls. peak is VmHWM at the end.
func BenchmarkMemory(b *testing.B) {
	const pages, tools, calls = 50, 10, 5000
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	cdp.create(b, "about:blank")
	var start, attached, many, busy, peak float64
	for b.Loop() {
		h := startHub(b, "--ws-endpoint", nowhere)
		h.hello(b)
		h.listUntil(b, having(0))
		h.quiet(b, restTime)
		start = max(start, h.memory(b, "VmRSS"))
		h.end(b)

		h = attachHub(b, chrome)
		h.listUntil(b, having(0))
		h.quiet(b, restTime)
		attached = max(attached, h.memory(b, "VmRSS"))
		var opened []string
		for range pages {
			opened = append(opened, cdp.create(b, chrome.address(tools-1)))
		}
		names := h.listUntil(b, having(pages*tools))
		h.quiet(b, restTime)
		many = max(many, h.memory(b, "VmRSS"))
		echo := names[0] // a page's tools are sorted, and echo is the first
		for range calls {
			h.call(b, echo, "again")
		}
		h.quiet(b, restTime)
		busy = max(busy, h.memory(b, "VmRSS"))
		peak = max(peak, h.memory(b, "VmHWM"))
		h.end(b)
		for _, id := range opened {
			cdp.close(b, tab{target: id})
		}
	}
	b.ReportMetric(start, "start-MiB")
	b.ReportMetric(attached, "attached-MiB")
	b.ReportMetric(many, "50-pages-MiB")
	b.ReportMetric(busy, "after-calls-MiB")
	b.ReportMetric(peak, "peak-MiB")
}
