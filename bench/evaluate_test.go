package bench

import (
	"strconv"
	"testing"
	"time"
)

// BenchmarkEvaluated measures calls of a page's tool through the hub, one after
// the other and 16 at a time, against the least that Chrome can be asked of a
// page: a bare Runtime.evaluate of the same text. The tool is Chrome's own or
// @mcp-b/global's. tool is a bare client that calls the tool, which no hub can do
// in less: by WebMCP.invokeTool, or by a script that speaks with the page's MCP
// server. In turns, as in BenchmarkCall; ns/op is the hub's median.
func BenchmarkEvaluated(b *testing.B) {
	b.Run("runtime=native", func(b *testing.B) { benchmarkEvaluated(b, "/") })
	b.Run("runtime=mcpb", func(b *testing.B) { benchmarkEvaluated(b, "/mcpb", "--disable-features=WebMCP") })
}

// askServer is a script that makes window.ask call a tool of the page's MCP server.
const askServer = `{
	let last = 0;
	const open = new Map();
	addEventListener("message", ({data: {direction, payload}}) => {
		if (direction === "server-to-client") { open.get(payload.id)?.(payload.result.content[0]); open.delete(payload.id); }
	});
	window.ask = (text) => new Promise((done) => {
		open.set(++last, done);
		postMessage({channel: "mcp-default", type: "mcp", direction: "client-to-server",
			payload: {jsonrpc: "2.0", id: last, method: "tools/call", params: {name: "echo", arguments: {text}}}}, "*");
	});
} 0`

func benchmarkEvaluated(b *testing.B, path string, args ...string) {
	chrome := startBrowserWith(b, args...)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.pages.URL+path)
	evaluate := func(text string) int { return cdp.postScript(b, page, `({text: "`+text+`"})`) }
	ask := func(text string) int { return cdp.postScript(b, page, `ask("`+text+`")`) }
	bareTurn := func(s *samples, post func(text string) int) {
		for i := range turn {
			begin, text := time.Now(), "b"+strconv.Itoa(i)
			checkEcho(b, cdp.raw(b, post(text)), text)
			s.since(begin)
		}
	}
	bare16 := func(post func(text string) int) time.Duration {
		return sixteen(turn16, func() { post("b") }, func() { checkEcho(b, cdp.until(b, `{"id":`), "b") })
	}
	toolTurn := func(s *samples) { bareTurn(s, ask) }
	tool16 := func() time.Duration { return bare16(ask) }
	if path == "/" {
		toolTurn = func(s *samples) {
			cdp.command(b, page.session, "WebMCP.enable", `{}`, nil)
			for i := range turn {
				begin := time.Now()
				cdp.invoke(b, page, "b"+strconv.Itoa(i))
				s.since(begin)
			}
			cdp.command(b, page.session, "WebMCP.disable", `{}`, nil)
		}
		tool16 = func() time.Duration { return bareCalls16(b, cdp, page) }
	} else {
		cdp.evaluate(b, page, askServer)
	}
	var bare, tool, hub, warmUp, bare16s, tool16s, hub16s samples
	var cpu time.Duration
	for range 3 {
		bareTurn(&warmUp, evaluate)
		toolTurn(&warmUp)
	}
	for b.Loop() {
		bareTurn(&bare, evaluate)
		toolTurn(&tool)
		bare16s, tool16s = append(bare16s, bare16(evaluate)), append(tool16s, tool16())
		h := attachHub(b, chrome)
		name := h.listUntil(b, having(1))[0]
		for i := range turn / 2 {
			h.call(b, name, "w"+strconv.Itoa(i))
		}
		before := h.cpu(b)
		for i := range turn {
			begin := time.Now()
			h.call(b, name, "h"+strconv.Itoa(i))
			hub.since(begin)
		}
		cpu += h.cpu(b) - before
		hubCalls16(b, h.client, name, turn16/4)
		hub16s = append(hub16s, hubCalls16(b, h.client, name, turn16))
		h.end(b)
	}
	rate := func(s samples) float64 { return turn16 / s.quantile(0.5).Seconds() }
	ratio := func(s samples) float64 { return float64(s.quantile(0.5)) / float64(bare.quantile(0.5)) }
	b.ReportMetric(float64(hub.quantile(0.5)), "ns/op")
	for _, of := range []struct {
		name      string
		one, many samples
	}{{"bare", bare, bare16s}, {"tool", tool, tool16s}, {"hub", hub, hub16s}} {
		b.ReportMetric(micros(of.one.quantile(0.5)), of.name+"-p50-µs")
		b.ReportMetric(rate(of.many), of.name+"-calls/s")
		if of.name != "bare" {
			b.ReportMetric(ratio(of.one), of.name+"/bare-p50")
			b.ReportMetric(rate(of.many)/rate(bare16s), of.name+"/bare-16")
		}
	}
	b.ReportMetric(micros(cpu)/float64(len(hub)), "hub-cpu-µs/call")
}
