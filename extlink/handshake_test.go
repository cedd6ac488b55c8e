package extlink_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
)

// TestProof holds the hub's reckoning and the extension's to the same values:
// extension/test/proof.test.js has them too.
func TestProof(t *testing.T) {
	mine, theirs := strings.Repeat("A", 43), strings.Repeat("B", 42)+"A"
	for role, want := range map[string]string{"extension": "Jp1l5MG7CRy5IeEczuqUq692RTSLWoSS94ZbLO9Vk8Y", "hub": "rLZlg_U1FRdmp0yjvZ2_fKZV0Y7k9sD3x1kbb_YLxBk"} {
		if got := exttest.Proof(token, extlink.Subprotocol, role, "8765", mine, theirs); got != want {
			t.Errorf("the proof of the %s is %s", role, got)
		}
	}
}

// at opens a connection, and says hello.
func at(t *testing.T, port, path string, protocols ...string) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{Subprotocols: protocols}
	ws, _, err := d.Dial("ws://127.0.0.1:"+port+path, http.Header{"Origin": {"chrome-extension://" + extlink.DefaultID}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

// ending is the close code with which the hub leaves, and its reason.
func ending(t *testing.T, ws *websocket.Conn) (int, string) {
	t.Helper()
	for {
		_, _, err := ws.ReadMessage()
		if ce, ok := errors.AsType[*websocket.CloseError](err); ok {
			return ce.Code, ce.Text
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A peer gets through by its proof alone: not by the token itself, another's
// proof, one of another exchange, or the hub's own.
func TestWhoProvesItself(t *testing.T) {
	port, wires := serve(t)
	nonce := strings.Repeat("A", 43)
	for name, proof := range map[string]func(hub, proof string) string{
		"another token": func(hub, _ string) string {
			return exttest.Proof(token+"x", extlink.Subprotocol, "extension", port, nonce, hub)
		},
		"the hub's": func(_, proof string) string { return proof },
		"another role": func(hub, _ string) string {
			return exttest.Proof(token, extlink.Subprotocol, "proxy", port, nonce, hub)
		},
		"another protocol": func(hub, _ string) string {
			return exttest.Proof(token, proxy.Subprotocol, "extension", port, nonce, hub)
		},
		"another port": func(hub, _ string) string {
			return exttest.Proof(token, extlink.Subprotocol, "extension", "8765", nonce, hub)
		},
		"another exchange": func(string, string) string {
			return exttest.Proof(token, extlink.Subprotocol, "extension", port, nonce, nonce)
		},
		"the token": func(string, string) string { return token },
		"nothing":   func(string, string) string { return "" },
	} {
		ws := at(t, port, "/", extlink.Subprotocol, "webmcp-hub.token."+token)
		if err := ws.WriteJSON(map[string]string{"type": "hello", "nonce": nonce}); err != nil {
			t.Fatal(err)
		}
		var m struct{ Nonce, Proof string }
		if err := ws.ReadJSON(&m); err != nil {
			t.Fatal(err)
		}
		if want := exttest.Proof(token, extlink.Subprotocol, "hub", port, nonce, m.Nonce); m.Proof != want {
			t.Errorf("the hub proves itself with %s", m.Proof)
		}
		if err := ws.WriteJSON(map[string]string{"type": "proof", "proof": proof(m.Nonce, m.Proof)}); err != nil {
			t.Fatal(err)
		}
		if code, reason := ending(t, ws); code != extlink.CloseWrongToken || !strings.Contains(reason, "webmcp-hub extension pair") {
			t.Errorf("%s: it ends with %d %s", name, code, reason)
		}
	}
	if len(wires) != 0 {
		t.Error("one got through")
	}
	for _, p := range []struct {
		path string
		peer extlink.Peer
		more []string
	}{{"/", extlink.Extension, nil}, {"/proxy", proxy, []string{"webmcp-hub.challenge"}}} {
		ws := at(t, port, p.path, append([]string{p.peer.Subprotocol}, p.more...)...)
		if err := exttest.Shake(ws, p.peer, port, token); err != nil {
			t.Fatal(err)
		}
		_ = (<-wires).Close()
	}
}

// What is no handshake ends the connection, and is never much or long.
func TestWhatIsNoHandshake(t *testing.T) {
	port, wires := serve(t)
	for _, said := range []string{
		``, `x`, `{}`, `[]`, `{"type":"connected"}`, `{"type":"proof","proof":"x"}`, `{"type":"hello"}`, `{"type":"hello","nonce":"short"}`, `{"type":"hello","nonce":7}`,
		fmt.Sprintf(`{"type":"hello","nonce":%q}`, strings.Repeat("A", 44)), fmt.Sprintf(`{"type":"hello","nonce":%q}`, strings.Repeat("A", 42)+"B"), fmt.Sprintf(`{"type":"hello","nonce":%q}`, strings.Repeat("A", 1<<20)),
	} {
		ws := at(t, port, "/", extlink.Subprotocol)
		_ = ws.WriteMessage(websocket.TextMessage, []byte(said)) // the hub may leave before it has all
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				break
			}
		}
	}
	if len(wires) != 0 {
		t.Error("one got through")
	}
}

func TestTokensThatAreSent(t *testing.T) {
	port, wires := serve(t)
	for _, protocols := range [][]string{
		{proxy.Subprotocol},
		nil,
		{proxy.Subprotocol, "webmcp-hub.token."},
		{proxy.Subprotocol, "webmcp-hub.token." + token + "x"},
		{"webmcp-hub.token.", proxy.Subprotocol},
	} {
		if code, reason := ending(t, at(t, port, "/proxy", protocols...)); code != extlink.CloseWrongToken || !strings.Contains(reason, "webmcp-hub extension pair") {
			t.Errorf("%q ends with %d %s", protocols, code, reason)
		}
	}
	if len(wires) != 0 {
		t.Error("one got through")
	}
	at(t, port, "/proxy", proxy.Subprotocol, "webmcp-hub.token."+token)
	_ = (<-wires).Close()
}

// An extension of before the handshake hears what to do.
func TestAnOutdatedExtension(t *testing.T) {
	port, wires := serve(t)
	code, reason := ending(t, at(t, port, "/", "webmcp-hub.v1", "webmcp-hub.token."+token))
	if code != extlink.CloseOutdated || !strings.Contains(reason, "older than the hub") || len(wires) != 0 {
		t.Errorf("it ends with %d %s", code, reason)
	}
}

// Who has yet to prove itself can't keep others out for long, nor hold a
// server that ends.
func TestHandshakesAreBounded(t *testing.T) {
	port, wires := serve(t)
	refused := 0
	var held []*websocket.Conn
	for range 40 {
		d := websocket.Dialer{Subprotocols: []string{extlink.Subprotocol}}
		ws, r, err := d.Dial("ws://127.0.0.1:"+port+"/", http.Header{"Origin": {"chrome-extension://" + extlink.DefaultID}})
		switch {
		case err == nil:
			t.Cleanup(func() { _ = ws.Close() })
			held = append(held, ws)
		case r != nil && r.StatusCode == http.StatusServiceUnavailable:
			refused++
		default:
			t.Fatal(err)
		}
	}
	if refused != 8 {
		t.Errorf("%d of 40 were refused", refused)
	}
	for _, ws := range held { // they are sent away
		_ = ws.SetReadDeadline(time.Now().Add(time.Minute))
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, extlink.ClosePolicy) {
			t.Fatalf("one that says nothing ends with %v", err)
		}
		_ = ws.Close()
	}
	for { // the last of them may be about to leave
		ws, err := exttest.Dial(port, token)
		if err == nil {
			_ = ws.Close()
			_ = (<-wires).Close()
			return
		}
	}
}

// A connection that says nothing, or too slowly, is closed.
func TestSlowRequestsAreCutOff(t *testing.T) {
	port, _ := serve(t)
	for _, said := range []string{"", "GET / HTTP/1.1\r\nHost: 127", "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Length: 1000000000\r\n\r\nx", "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n"} {
		conn, err := net.Dial("tcp4", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(said))
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		for err == nil {
			_, err = conn.Read(make([]byte, 1<<10))
		}
		if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
			t.Errorf("%q keeps a connection open", said)
		}
		_ = conn.Close()
	}
}
