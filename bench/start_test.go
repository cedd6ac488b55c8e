package bench

import (
	"bytes"
	"testing"
	"time"
)

// nowhere is an address at which no Chrome listens.
const nowhere = "ws://127.0.0.1:9/devtools/browser/none"

// BenchmarkStartToInitialize measures the time from starting the process until
// its client holds the answer to initialize.
func BenchmarkStartToInitialize(b *testing.B) {
	var s samples
	for b.Loop() {
		h := startHub(b, "--ws-endpoint", nowhere)
		h.hello(b)
		s.since(h.started)
		b.StopTimer()
		h.end(b)
		b.StartTimer()
	}
	b.ReportMetric(float64(s.quantile(0.5)), "ns/op")
	s.report(b, "start-to-initialize")
}

// BenchmarkStartToTools measures the time from starting the process until its
// client holds the 10 tools of a page that has been open for long, in a Chrome
// that the hub attaches to by the websocket's address or by its HTTP port. The
// client lists once it is initialized, and at each list_changed.
func BenchmarkStartToTools(b *testing.B) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	cdp.open(b, chrome.address(9))
	for _, way := range []struct{ name, flag, address string }{
		{"ws-endpoint", "--ws-endpoint", chrome.endpoint},
		{"browser-url", "--browser-url", chrome.url},
	} {
		b.Run(way.name, func(b *testing.B) {
			var s samples
			for b.Loop() {
				h := startHub(b, way.flag, way.address)
				h.hello(b)
				h.listUntil(b, having(10))
				s.since(h.started)
				b.StopTimer()
				h.end(b)
				b.StartTimer()
			}
			b.ReportMetric(float64(s.quantile(0.5)), "ns/op")
			s.report(b, "start-to-tools")
		})
	}
}

// BenchmarkEmptyProcess measures what a process costs by itself: the hub's
// binary that only prints its version.
func BenchmarkEmptyProcess(b *testing.B) {
	var s samples
	for b.Loop() {
		begin := time.Now()
		out, err := versionOf()
		s.since(begin)
		if err != nil || !bytes.HasPrefix(out, []byte("webmcp-hub")) {
			b.Fatalf("%q, %v", out, err)
		}
	}
	b.ReportMetric(float64(s.quantile(0.5)), "ns/op")
}
