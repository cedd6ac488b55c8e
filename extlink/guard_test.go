package extlink_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
)

const token = "a-pairing-token-for-tests"

// proxy is a peer that may send its token.
var proxy = extlink.Peer{Subprotocol: "proxy.v1", Role: "proxy", Called: "an MCP-B proxy", SendsToken: true}

// serve starts a server with a guard and gives its port, and the wires that got
// through.
func serve(t *testing.T) (port string, wires chan extlink.Link) {
	t.Helper()
	return serveGuarded(t, extlink.NewGuard([]string{extlink.DefaultID}, token, slog.New(slog.DiscardHandler)))
}

func serveGuarded(t *testing.T, g *extlink.Guard) (port string, wires chan extlink.Link) {
	t.Helper()
	l, err := extlink.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	wires = make(chan extlink.Link, 10)
	mux := http.NewServeMux()
	mux.Handle("/{$}", g.WebSocket(extlink.Extension, func(w extlink.Link) { wires <- w }))
	mux.Handle("/proxy", g.WebSocket(proxy, func(w extlink.Link) { wires <- w }))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- extlink.Serve(ctx, l, g, mux) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return port, wires
}

func dial(t *testing.T, port string, header map[string]string, protocols ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	h := http.Header{}
	for k, v := range header {
		if v != "" {
			h.Set(k, v)
		}
	}
	d := websocket.Dialer{Subprotocols: protocols}
	ws, r, err := d.Dial("ws://127.0.0.1:"+port+"/", h)
	if err == nil {
		t.Cleanup(func() { _ = ws.Close() })
	}
	return ws, r, err
}

func TestWhoGetsThrough(t *testing.T) {
	port, wires := serve(t)
	ours := "chrome-extension://" + extlink.DefaultID
	for _, c := range []struct {
		name, origin, host string
		status             int
	}{
		{"a web page", "https://evil.example", "", 403},
		{"a page of this computer", "http://localhost:" + port, "", 403},
		{"a page without an origin", "null", "", 403},
		{"a program", "", "", 403},
		{"another extension", "chrome-extension://" + strings.Repeat("a", 32), "", 403},
		{"an extension whose id begins alike", ours + "a", "", 403},
		{"ours by another name for this computer", ours, "evil.example:" + port, 403},
		{"ours by a name that ends alike", ours, "localhost.evil.example:" + port, 403},
		{"ours by another port", ours, "127.0.0.1:1", 403},
		{"ours without a port", ours, "127.0.0.1", 403},
		{"ours", ours, "", 101},
		{"ours by localhost", ours, "localhost:" + port, 101},
		{"ours by IPv6", ours, "[::1]:" + port, 101},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, r, err := dial(t, port, map[string]string{"Origin": c.origin, "Host": c.host}, extlink.Subprotocol)
			if r == nil || r.StatusCode != c.status {
				t.Fatalf("got %v, %v; want %d", r, err, c.status)
			}
			if c.status == 101 {
				if got := r.Header.Get("Sec-Websocket-Protocol"); got != extlink.Subprotocol {
					t.Errorf("the subprotocol is %q", got)
				}
				if err := exttest.Shake(ws, extlink.Extension, port, token); err != nil {
					t.Fatal(err)
				}
				_ = (<-wires).Close()
			}
		})
	}
	for _, path := range []string{"/", "/mcp-b", "/x"} {
		r, err := http.Get("http://127.0.0.1:" + port + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != 403 {
			t.Errorf("GET %s gives %d", path, r.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestWire plays a connection over a real socket: large and too large
// messages, binary ones, and how it ends.
func TestWire(t *testing.T) {
	port, wires := serve(t)
	connect := func() (*websocket.Conn, extlink.Wire) {
		ws, err := exttest.Dial(port, token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.Close() })
		return ws, <-wires
	}
	ws, wire := connect()
	go func() {
		_ = ws.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"ping"}`))
		_ = ws.WriteMessage(websocket.TextMessage, make([]byte, extlink.MaxMessage+1))
		_ = ws.WriteMessage(websocket.TextMessage, make([]byte, extlink.MaxMessage))
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`hello`))
	}()
	if _, err := wire.Read(); !errors.Is(err, extlink.ErrMessageTooLarge) {
		t.Errorf("a giant is read with %v", err)
	}
	if msg, err := wire.Read(); err != nil || len(msg) != extlink.MaxMessage {
		t.Errorf("one of just the size: %d bytes, %v", len(msg), err)
	}
	if msg, err := wire.Read(); err != nil || string(msg) != "hello" {
		t.Errorf("then %q, %v", msg, err)
	}
	go func(wire extlink.Wire) { // as [extlink.Conn] does
		wire.Part(extlink.CloseReplaced, strings.Repeat("long ", 100))
		for {
			if _, err := wire.Read(); err != nil {
				break
			}
		}
		_ = wire.Close()
	}(wire)
	_, _, err := ws.ReadMessage()
	var ce *websocket.CloseError
	if !errors.As(err, &ce) || ce.Code != extlink.CloseReplaced {
		t.Errorf("it ended with %v", err)
	}

	ws, wire = connect()
	_ = ws.Close()
	if _, err := wire.Read(); err == nil {
		t.Error("a dead connection can be read")
	}
	_ = wire.Close()
}

// TestPortTaken: the error names the port and, where the system tells, who has it.
func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = extlink.Listen(port)
	if err == nil {
		t.Fatal("the port was taken twice")
	}
	want := []string{"port " + strconv.Itoa(port), "--extension-port"}
	if _, no := os.Stat("/proc/net/tcp"); no == nil {
		want = append(want, "process "+strconv.Itoa(os.Getpid()))
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %q, without %q", err, text)
		}
	}
}

// Which kind of peer was sent away is said, in the log and to agents.
func TestRefusalsNameThePeer(t *testing.T) {
	var logged strings.Builder
	refused := make(chan string, 10)
	g := extlink.NewGuard([]string{extlink.DefaultID}, token, slog.New(slog.NewTextHandler(&logged, nil)))
	g.TurnedAway = func(who, why string) { refused <- who + ": " + why }
	port, _ := serveGuarded(t, g)
	for _, c := range []struct{ path, subprotocol, who string }{
		{"/proxy", proxy.Subprotocol, "an MCP-B proxy: wrong pairing token"},
		{"/", extlink.Extension.Outdated, "a browser's extension: the extension is older"},
	} {
		ending(t, at(t, port, c.path, c.subprotocol))
		if got := <-refused; !strings.HasPrefix(got, c.who) {
			t.Errorf("refused is %q, want %q", got, c.who)
		}
		who, _, _ := strings.Cut(c.who, ":")
		if !strings.Contains(logged.String(), who+" was refused") {
			t.Errorf("%s is not named in the log: %s", who, &logged)
		}
		logged.Reset()
	}
}
