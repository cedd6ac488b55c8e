package bench

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// extensionID is what the key in the extension's manifest makes it.
const extensionID = "hcgmadpoiniangaogdpbdfdboofoifng"

// BenchmarkCallByExtension measures tools/call of an echoing tool of a page,
// through a hub that the browser's extension is connected to, against one that
// is attached over CDP, both over stdio, in turns of 200 calls on the same page
// of the same Chrome, each after a warm-up of 100; the hub on CDP is there for
// its own turn only, as in BenchmarkCall. ns/op is the extension's median,
// ext/cdp the ratio of medians. The page is Chrome's own WebMCP in the tab in
// front, or in one behind it, or has @mcp-b/global.
//
// The bare ways are what Chrome takes, without anything of ours: a minimal
// extension (testdata/floor) that sends a message back from its offscreen
// document (socket), from its content script (port), and from there after
// having run Chrome's own tool (tool).
func BenchmarkCallByExtension(b *testing.B) {
	b.Run("native", func(b *testing.B) { benchmarkCallByExtension(b, true, true) })
	b.Run("native-behind", func(b *testing.B) { benchmarkCallByExtension(b, true, false) })
	b.Run("mcpb", func(b *testing.B) { benchmarkCallByExtension(b, false, true) })
}

func benchmarkCallByExtension(b *testing.B, native, front bool) {
	floor := listenBare(b)
	args := []string{"--load-extension=" + extensionPath(b) + "," + floor.extension(b)}
	path := ""
	if !native {
		if _, err := os.Stat(mcpbRuntime); err != nil {
			b.Skip("npm ci in e2e/ brings what this needs: ", err)
		}
		path = "/mcpb"
		args = append(args, "--disable-features=WebMCP")
	}
	chrome := startBrowserWith(b, args...)
	cdp := chrome.dial(b)
	linked := chrome.pair(b, cdp)
	defer linked.end(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.pages.URL+path)
	if !front {
		cdp.create(b, "about:blank")
	}
	if hidden := cdp.evaluate(b, page, `document.hidden`); hidden != strconv.FormatBool(!front) {
		b.Fatalf("the page's document.hidden is %s", hidden)
	}
	linkedName := linked.listUntil(b, having(1))[0]
	floor.ready(b)

	// take is one way's turn.
	take := func(s *samples, call func(text string)) {
		for i := range turn / 2 {
			call("w" + strconv.Itoa(i))
		}
		for i := range turn {
			begin := time.Now()
			call("t" + strconv.Itoa(i))
			s.since(begin)
		}
	}
	bareWays := []string{"socket", "port"}
	if native {
		bareWays = append(bareWays, "tool")
	}
	var byCDP, ext samples
	bare := make([]samples, len(bareWays))
	for b.Loop() {
		h := attachHub(b, chrome)
		name := h.listUntil(b, having(1))[0]
		take(&byCDP, func(text string) { h.call(b, name, text) })
		h.end(b)
		take(&ext, func(text string) { linked.call(b, linkedName, text) })
		for i, way := range bareWays {
			take(&bare[i], func(text string) { floor.call(b, way+text) })
		}
	}
	p50 := float64(ext.quantile(0.5))
	b.ReportMetric(p50, "ns/op")
	report := func(way string, s samples) {
		b.ReportMetric(micros(s.quantile(0.5)), way+"-p50-µs")
		b.ReportMetric(micros(s.quantile(0.99)), way+"-p99-µs")
		if way != "ext" {
			b.ReportMetric(p50/float64(s.quantile(0.5)), "ext/"+way+"-p50")
		}
	}
	report("ext", ext)
	report("cdp", byCDP)
	for i, way := range bareWays {
		report(way, bare[i])
	}
}

// BenchmarkTenToolsByExtension measures the time from our asking a page for ten
// registrations, one after the other, until the client has a list with all of
// them, in the tab in front and in one behind it, where Chrome holds a page's
// timers back. ns/op is the median.
func BenchmarkTenToolsByExtension(b *testing.B) {
	b.Run("front", func(b *testing.B) { benchmarkTenTools(b, true) })
	b.Run("behind", func(b *testing.B) { benchmarkTenTools(b, false) })
}

func benchmarkTenTools(b *testing.B, front bool) {
	chrome := startBrowserWith(b, "--load-extension="+extensionPath(b))
	cdp := chrome.dial(b)
	h := chrome.pair(b, cdp)
	defer h.end(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.address(0))
	h.listUntil(b, having(1))
	if !front {
		cdp.create(b, "about:blank")
	}
	var took samples
	for b.Loop() {
		for range 10 {
			begin := time.Now()
			id := cdp.postScript(b, page, `(async () => { for (let i = 0; i < 10; i++) await add("t" + i); })()`)
			h.listUntil(b, having(11))
			took.since(begin)
			cdp.value(b, id)
			cdp.evaluate(b, page, `for (let i = 0; i < 10; i++) remove("t" + i)`)
			h.listUntil(b, having(1))
			h.quiet(b, 4*rest)
		}
	}
	b.ReportMetric(float64(took.quantile(0.5)), "ns/op")
	took.report(b, "ten-tools")
}

func extensionPath(b testing.TB) string {
	abs, err := filepath.Abs("../extension")
	if err != nil {
		b.Fatal(err)
	}
	return abs
}

// pair starts a hub with --extension and has the browser's extension connect to it.
func (c *browser) pair(b testing.TB, cdp *bare) *hub {
	b.Helper()
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	token, err := exec.Command(hubBinary, "extension", "pair").Output()
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	l.Close()
	h := startHub(b, "--extension", "--extension-port", port, "--no-share")
	h.hello(b)
	popup := cdp.attach(b, cdp.create(b, "chrome-extension://"+extensionID+"/popup.html"))
	pairing := fmt.Sprintf(`globalThis.chrome?.storage?.local.set({token: %q, port: %s}).then(() => 1)`, bytes.TrimSpace(token), port)
	for deadline := time.Now().Add(patience); cdp.evaluate(b, popup, pairing) != "1"; {
		if time.Now().After(deadline) {
			b.Fatal("the extension's popup did not load")
		}
	}
	return h
}
