package actors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
)

// BenchmarkCallByLink is a call's round trip from Hub.Call to a page that
// answers at once: over CDP and over an extension, each without a socket and
// over a WebSocket on this computer.
func BenchmarkCallByLink(b *testing.B) {
	echo := func(_ context.Context, args json.RawMessage) (any, error) { return string(args), nil }
	chrome := func(b *testing.B) *cdptest.Browser {
		c := cdptest.New()
		c.OpenPage(Shop).Register(cdptest.Tool{Name: "echo", Execute: echo})
		b.Cleanup(c.Die)
		return c
	}
	browser := func(b *testing.B) *exttest.Browser {
		e := exttest.New("one")
		e.OpenTab(Shop).Register(exttest.Tool{Name: "echo", Execute: echo})
		b.Cleanup(e.Die)
		return e
	}
	start := func(b *testing.B, o Options) (*Hub, benchPublisher) {
		served := make(benchPublisher, 1000)
		o.Publisher = served
		h := Start(o)
		b.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := h.Stop(ctx); err != nil {
				b.Error(err)
			}
		})
		return h, served
	}
	b.Run("cdp", func(b *testing.B) {
		h, served := start(b, Options{ConnectOptions: ConnectOptions{Dialer: benchDialer{chrome(b)}}})
		measureCalls(b, h, served)
	})
	b.Run("extension", func(b *testing.B) {
		h, served := start(b, Options{ConnectOptions: ConnectOptions{Lazy: true}})
		h.AddExtension(browser(b).Connect())
		measureCalls(b, h, served)
	})
	b.Run("cdp over a socket", func(b *testing.B) {
		s := httptest.NewServer(chrome(b).Handler())
		b.Cleanup(s.Close)
		url, err := cdpclient.BrowserWebSocketURL(b.Context(), s.URL)
		if err != nil {
			b.Fatal(err)
		}
		h, served := start(b, Options{ConnectOptions: ConnectOptions{Dialer: socketDialer(url)}})
		measureCalls(b, h, served)
	})
	b.Run("extension over a socket", func(b *testing.B) {
		h, served := start(b, Options{ConnectOptions: ConnectOptions{Lazy: true}})
		dialHub(b, h, browser(b))
		measureCalls(b, h, served)
	})
}

type socketDialer string

func (d socketDialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	return cdpclient.DialWebSocket(ctx, string(d), nil)
}

// dialHub connects a browser as the extension does.
func dialHub(b *testing.B, h *Hub, e *exttest.Browser) {
	const token = "a-token-for-benchmarks"
	l, err := extlink.Listen(0)
	if err != nil {
		b.Fatal(err)
	}
	g := extlink.NewGuard([]string{extlink.DefaultID}, token, slog.New(slog.DiscardHandler))
	mux := http.NewServeMux()
	mux.Handle("/{$}", g.WebSocket(extlink.Extension, h.AddExtension))
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = extlink.Serve(ctx, l, g, mux) }()
	b.Cleanup(cancel)
	ws, err := exttest.Dial(portOf(l), token)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ws.Close() })
	w := e.Connect()
	go func() { // what the browser says
		for {
			msg, err := w.Read()
			if err != nil || ws.WriteMessage(websocket.TextMessage, msg) != nil {
				return
			}
		}
	}()
	go func() { // what the hub says
		for {
			_, msg, err := ws.ReadMessage()
			if err != nil || w.Write(msg) != nil {
				_ = w.Close()
				return
			}
		}
	}()
}

func portOf(l net.Listener) string {
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	return port
}

func measureCalls(b *testing.B, h *Hub, served benchPublisher) {
	b.Helper()
	tool := served.until(b, 1).Tools()[0]
	served.drain(b)
	call := func() {
		if r := h.Call(context.Background(), tool, json.RawMessage(`{"text":"hello"}`), CallExtras{}); r.IsError {
			b.Fatalf("the call failed: %s", r.JSON)
		}
	}
	for range 100 {
		call()
	}
	took := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		begun := time.Now()
		call()
		took = append(took, time.Since(begun))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
