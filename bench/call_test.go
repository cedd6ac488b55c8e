package bench

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// turn is how many calls are made one way before the other way's turn.
const turn = 200

// BenchmarkCall measures one call after the other of a page's tool that echoes
// its argument: tools/call through the hub, over stdio, against
// WebMCP.invokeTool until WebMCP.toolResponded over a bare CDP websocket, in
// turns of 200 calls on the same page of the same Chrome. Chrome tells every
// session of every call, so the bare client has Chrome for itself in its turn:
// the hub is started for its own turn and ended after it, with a warm-up of 100
// calls. ns/op is the hub's median. beside is the bare client while the hub
// listens: what the hub costs others on the processors.
func BenchmarkCall(b *testing.B) {
	b.Run("client=lean", func(b *testing.B) {
		benchmarkCall(b, func(at *browser) (call func(text string), end func()) {
			h := attachHub(b, at)
			name := h.listUntil(b, having(1))[0]
			return func(text string) { h.call(b, name, text) }, func() { h.end(b) }
		})
	})
	b.Run("client=mcp-go", func(b *testing.B) {
		benchmarkCall(b, func(at *browser) (call func(text string), end func()) {
			c, name := mcpgoClient(b, at)
			call = func(text string) {
				request := mcp.CallToolRequest{}
				request.Params.Name, request.Params.Arguments = name, map[string]any{"text": text}
				result, err := c.CallTool(context.Background(), request)
				if err != nil {
					b.Fatal(err)
				}
				if got, ok := result.Content[0].(mcp.TextContent); !ok || got.Text != text {
					b.Fatalf("%s was answered by %v", name, result.Content)
				}
			}
			return call, func() { c.Close() }
		})
	})
}

// BenchmarkCallInside is the same with a hub inside this process, for
// profiles, and for where the time goes: in, from the hub's read of the request
// to its write to Chrome; page, until it has read the page's answer; out, until
// it writes to the client; client, the rest.
func BenchmarkCallInside(b *testing.B) {
	var in, page, out, rest samples
	benchmarkCall(b, func(at *browser) (call func(text string), end func()) {
		h := startInnerHub(b, at)
		name := h.listUntil(b, having(1))[0]
		call = func(text string) {
			begin := time.Now()
			h.call(b, name, text)
			whole := time.Since(begin)
			at := func(door *atomic.Int64) time.Duration { return time.Duration(door.Load()) }
			c := &h.crossed
			in = append(in, at(&c.toChrome)-at(&c.fromClient))
			page = append(page, at(&c.fromChrome)-at(&c.toChrome))
			out = append(out, at(&c.toClient)-at(&c.fromChrome))
			rest = append(rest, whole-(at(&c.toClient)-at(&c.fromClient)))
		}
		return call, func() { h.end(b) }
	})
	b.ReportMetric(micros(in.quantile(0.5)), "in-p50-µs")
	b.ReportMetric(micros(page.quantile(0.5)), "page-p50-µs")
	b.ReportMetric(micros(out.quantile(0.5)), "out-p50-µs")
	b.ReportMetric(micros(rest.quantile(0.5)), "client-p50-µs")
}

func benchmarkCall(b *testing.B, start func(*browser) (call func(text string), end func())) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.address(0))
	bareTurn := func(s *samples) {
		cdp.command(b, page.session, "WebMCP.enable", `{}`, nil)
		for i := range turn {
			begin := time.Now()
			cdp.invoke(b, page, "b"+strconv.Itoa(i))
			s.since(begin)
		}
		cdp.command(b, page.session, "WebMCP.disable", `{}`, nil)
	}
	var bare, beside, hub, warmUp samples
	for range 3 {
		bareTurn(&warmUp)
	}
	for b.Loop() {
		bareTurn(&bare)
		call, end := start(chrome)
		for i := range turn / 2 {
			call("w" + strconv.Itoa(i))
		}
		for i := range turn {
			begin := time.Now()
			call("h" + strconv.Itoa(i))
			hub.since(begin)
		}
		bareTurn(&beside)
		end()
	}
	p50 := hub.quantile(0.5)
	b.ReportMetric(float64(p50), "ns/op")
	b.ReportMetric(micros(p50), "hub-p50-µs")
	b.ReportMetric(micros(hub.quantile(0.99)), "hub-p99-µs")
	b.ReportMetric(micros(bare.quantile(0.5)), "bare-p50-µs")
	b.ReportMetric(micros(bare.quantile(0.99)), "bare-p99-µs")
	b.ReportMetric(micros(beside.quantile(0.5)), "beside-p50-µs")
	b.ReportMetric(float64(p50)/float64(bare.quantile(0.5)), "hub/bare-p50")
	b.ReportMetric(float64(p50)/float64(beside.quantile(0.5)), "hub/beside-p50")
	b.ReportMetric(float64(hub.quantile(0.99))/float64(p50), "hub-p99/p50")
}

// mcpgoClient starts a hub on a browser with one page as mcp-go's client does.
func mcpgoClient(b *testing.B, at *browser) (c *mcpgo.Client, tool string) {
	ctx := context.Background()
	changed := make(chan struct{}, 1)
	c = mcpgo.NewClient(transport.NewStdio(hubBinary, nil, hubArgs("--ws-endpoint", at.endpoint)...), mcpgo.WithLegacyProtocolOnly())
	c.OnNotification(func(mcp.JSONRPCNotification) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err := c.Start(ctx); err != nil {
		b.Fatal(err)
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = "2025-06-18"
	if _, err := c.Initialize(ctx, request); err != nil {
		b.Fatal(err)
	}
	for {
		list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range list.Tools {
			if bytes.HasPrefix([]byte(t.Name), []byte("webmcp_")) {
				return c, t.Name
			}
		}
		select {
		case <-changed:
		case <-time.After(patience):
			b.Fatal("the page's tool was not listed")
		}
	}
}

// BenchmarkCalls16 measures the calls a second of 16 callers of one page's
// tool, each of which calls again when it is answered: through the hub over
// one stdio session, against the same over one bare CDP websocket, in turns of
// 2,000 calls; as in BenchmarkCall the bare client has Chrome for itself. ns/op
// is the hub's time for each call.
func BenchmarkCalls16(b *testing.B) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	page := cdp.open(b, chrome.address(0))
	bareCalls16(b, cdp, page)
	var bare, hub samples
	var cpu time.Duration
	for b.Loop() {
		bare = append(bare, bareCalls16(b, cdp, page))
		h := attachHub(b, chrome)
		name := h.listUntil(b, having(1))[0]
		hubCalls16(b, h.client, name, turn16/4)
		before := h.cpu(b)
		hub = append(hub, hubCalls16(b, h.client, name, turn16))
		cpu += h.cpu(b) - before
		h.end(b)
	}
	rate := func(s samples) float64 { return turn16 / s.quantile(0.5).Seconds() }
	b.ReportMetric(float64(hub.quantile(0.5))/turn16, "ns/op")
	b.ReportMetric(rate(hub), "hub-calls/s")
	b.ReportMetric(rate(bare), "bare-calls/s")
	b.ReportMetric(rate(hub)/rate(bare), "hub/bare")
	b.ReportMetric(micros(cpu)/float64(turn16*len(hub)), "hub-cpu-µs/call")
}

// BenchmarkCalls16Inside is the hub's turn on a hub inside this process, for
// profiles.
func BenchmarkCalls16Inside(b *testing.B) {
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	cdp.open(b, chrome.address(0))
	h := startInnerHub(b, chrome)
	defer h.end(b)
	name := h.listUntil(b, having(1))[0]
	b.ReportAllocs()
	for b.Loop() {
		hubCalls16(b, h.client, name, turn16)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N*turn16), "ns/op")
}

const turn16 = 2000

// sixteen keeps 16 calls open until n are answered, and says how long it took.
func sixteen(n int, ask, answer func()) time.Duration {
	begin := time.Now()
	for asked, answered := 0, 0; answered < n; answered++ {
		for asked < n && asked-answered < 16 {
			ask()
			asked++
		}
		answer()
	}
	return time.Since(begin)
}

func bareCalls16(b *testing.B, cdp *bare, page tab) time.Duration {
	cdp.command(b, page.session, "WebMCP.enable", `{}`, nil)
	defer cdp.command(b, page.session, "WebMCP.disable", `{}`, nil)
	open := map[string]bool{}
	return sixteen(turn16, func() { cdp.postInvoke(b, page, "b") }, func() {
		for {
			msg := cdp.read(b)
			switch {
			case bytes.HasPrefix(msg, []byte(`{"id":`)):
				open[invocationOf(b, msg)] = true
			case bytes.HasPrefix(msg, []byte(responded)):
				id := invocationOf(b, msg)
				if !open[id] {
					b.Fatalf("no call of ours was answered by %s", msg)
				}
				delete(open, id)
				checkEcho(b, msg, "b")
				return
			}
		}
	})
}

func hubCalls16(b *testing.B, h *client, name string, n int) time.Duration {
	open := map[int]bool{}
	return sixteen(n, func() {
		line, id := h.request("tools/call", callParams(name, "h"))
		open[id] = true
		h.write(b, line)
	}, func() {
		line := h.read(b, time.Now().Add(patience))
		var id int
		if _, err := fmt.Sscanf(string(line), `{"jsonrpc":"2.0","id":%d,`, &id); err != nil || !open[id] {
			b.Fatalf("no call of ours was answered by %s", line)
		}
		delete(open, id)
		checkEcho(b, line, "h")
	})
}
