package e2e

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// The extension's port, without the extension: a scripted one speaks here.

const extensionOrigin = "chrome-extension://hcgmadpoiniangaogdpbdfdboofoifng"

// paired gives the hub a configuration of its own, and the pairing token in it.
func paired(t *testing.T) (token string) {
	t.Helper()
	config := t.TempDir()
	setenv(t, "XDG_CONFIG_HOME", config)
	stdout, stderr, code := runHub(t, "extension", "pair")
	token = strings.TrimSpace(stdout)
	if code != 0 || len(token) < 16 || strings.ContainsAny(token, " \n") || !strings.Contains(stderr, "chrome://extensions") {
		t.Fatalf("exit %d: %q, %q", code, stdout, stderr)
	}
	if again, _, _ := runHub(t, "extension", "pair"); strings.TrimSpace(again) != token {
		t.Errorf("the token was %q, is %q", token, again)
	}
	info, err := os.Stat(filepath.Join(config, "webmcp-hub", "extension-token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	return token
}

func dialExtension(t *testing.T, port, origin, token string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	d := websocket.Dialer{Subprotocols: []string{"webmcp-hub.v2"}, HandshakeTimeout: patience}
	ws, r, err := d.Dial("ws://127.0.0.1:"+port+"/", http.Header{"Origin": {origin}})
	if err != nil {
		return ws, r, err
	}
	return ws, r, shake(ws, "webmcp-hub.v2", "extension", port, token)
}

// shake is the peer's side of the handshake, whether the hub proves itself or not.
func shake(ws *websocket.Conn, protocol, role, port, token string) error {
	nonce := newNonce()
	if err := ws.WriteJSON(map[string]string{"type": "hello", "nonce": nonce}); err != nil {
		return err
	}
	var m struct{ Type, Nonce, Proof string }
	if err := ws.ReadJSON(&m); err != nil {
		return err
	}
	if right := proof(token, protocol, "hub", port, nonce, m.Nonce); (m.Proof == right) != (token != "wrong") {
		return fmt.Errorf("the hub proves itself with %+v", m)
	}
	return ws.WriteJSON(map[string]string{"type": "proof", "proof": proof(token, protocol, role, port, nonce, m.Nonce)})
}

func newNonce() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// proof is what an end proves with that it knows the token.
func proof(token string, parts ...string) string {
	h := hmac.New(sha256.New, []byte(token))
	_, _ = h.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// TestWebPagesCannotBeTheExtension: a page in a real browser that knows even
// the token gets no connection.
func TestWebPagesCannotBeTheExtension(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	token, port := paired(t), freePort(t)
	h := startHub(t, "--extension", "--extension-port", port, "--no-share")
	h.list() // it is there
	page := c.open(t, pages.url("shop.html"))
	for _, protocols := range []string{`[]`, `["webmcp-hub.v2"]`, `["webmcp-hub.v1", "webmcp-hub.token.` + token + `"]`} {
		got := page.eval(fmt.Sprintf(`new Promise(resolve => {
			const socket = new WebSocket("ws://127.0.0.1:%s/", %s);
			socket.onopen = () => resolve("open");
			socket.onclose = e => resolve("closed " + e.code);
		})`, port, protocols))
		if string(got) != `"closed 1006"` { // the handshake failed
			t.Errorf("the page's socket is %s", got)
		}
	}
	origin := strings.TrimSuffix(pages.url(""), "/")
	if _, r, err := dialExtension(t, port, origin, token); err == nil || r == nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("with the page's origin: %v, %v", r, err)
	}
	if n := strings.Count(h.stderr.String(), "refused"); n < 3 { // the fourth is about to be written
		t.Errorf("the log tells of %d:\n%s", n, h.stderr)
	}
}

// TestScriptedExtension: a peer that speaks the least of the protocol has
// its tabs' tools listed, called, and withdrawn when it goes.
func TestScriptedExtension(t *testing.T) {
	t.Parallel()
	token, port := paired(t), freePort(t)
	h := startHub(t, "--extension", "--extension-port", port, "--no-share")
	if find(h.list(), "connect_browser") == nil {
		t.Error("connect_browser is not listed, so nobody could start a Chrome")
	}
	wrong, _, err := dialExtension(t, port, extensionOrigin, "wrong")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := wrong.ReadMessage(); !websocket.IsCloseError(err, 4401) {
		t.Errorf("a wrong token ends with %v", err)
	}
	_ = wrong.Close()
	ws, _, err := dialExtension(t, port, extensionOrigin, token)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	say := func(m string) {
		t.Helper()
		if err := ws.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(kind string) (m map[string]any) {
		t.Helper()
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		if err := ws.ReadJSON(&m); err != nil || m["type"] != kind {
			t.Fatalf("heard %v, %v; want %s", m, err, kind)
		}
		return m
	}
	hear("connect")
	say(`{"type":"connected","browser":{"name":"Chrome","version":"120.0.0"},"tabs":[{"id":5,"title":"Shop","url":"https://shop.test/"}]}`)
	say(`{"type":"ping"}`)
	hear("pong")
	begun := time.Now()
	var tools []string
	for i := range 10 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":"does t%d","inputSchema":{"type":"object"}}`, i, i))
	}
	say(`{"type":"toolsChanged","tabId":5,"tools":[` + strings.Join(tools, ",") + `]}`)
	listed := h.waitTools("ten tools", func(l toolList) bool { return len(pageTools(l)) == 10 })
	t.Logf("10 tools were listed after %v", time.Since(begun))
	done := h.start(t.Context(), pageTools(listed)[0], map[string]any{"a": 1})
	call := hear("callTool")
	if call["tabId"] != 5.0 || call["toolName"] != "t0" || asJSON(call["args"]) != `{"a":1}` {
		t.Errorf("the call is %v", call)
	}
	id, _ := json.Marshal(call["callId"])
	say(`{"type":"toolResult","callId":` + string(id) + `,"result":"well done"}`)
	wantText(t, h.await(done), "well done")
	if got := h.call("connect_browser", nil); !strings.Contains(textOf(got), `"connected":true`) || !strings.Contains(textOf(got), "120.0.0") {
		t.Errorf("connect_browser: %s", textOf(got))
	}
	_ = ws.Close()
	h.waitNoPageTools()
	if got := h.call("connect_browser", nil); !got.IsError || !strings.Contains(textOf(got), "No browser found") || !strings.Contains(textOf(got), "WebMCP Hub extension") {
		t.Errorf("connect_browser: %s", textOf(got))
	}
}

// TestExtensionPortTaken: the hub serves all the same, the log and the agent
// are told who has the port, and once that is free the hub takes it.
func TestExtensionPortTaken(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	token := paired(t)
	port := freePort(t)
	h := startHub(t, "--extension", "--extension-port", port, "--no-share")
	h.list()
	waiting := startHub(t, "--extension", "--extension-port", port, "--no-share")
	told := textOf(waiting.call("connect_browser", nil))
	waiting.stderr.wait(t, "port "+port+" is taken by")
	for _, said := range []string{waiting.stderr.String(), told} {
		if !strings.Contains(said, "port "+port+" is taken by") {
			t.Errorf("it says %s", said)
		}
		if _, err := os.Stat("/proc/net/tcp"); err == nil && !strings.Contains(said, fmt.Sprintf("process %d", h.cmd.Process.Pid)) {
			t.Errorf("it doesn't say who: %s", said)
		}
	}
	c.open(t, pages.url("shop.html"))
	other := attachHub(t, c, "--extension", "--extension-port", port, "--no-share")
	other.waitTool(toolName("0", "add_to_cart"))
	other.stderr.wait(t, "port "+port+" is taken by")
	other.finish()
	h.finish()
	waiting.stderr.wait(t, "waiting for browsers with the WebMCP Hub extension")
	ws, _, err := dialExtension(t, port, extensionOrigin, token)
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.Close()
}
