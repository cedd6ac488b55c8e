package exttest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"

	"webmcphub/extlink"
)

// Dial opens a connection to a hub on this computer as the extension does.
func Dial(port, token string) (*websocket.Conn, error) {
	d := websocket.Dialer{Subprotocols: []string{extlink.Subprotocol}}
	ws, _, err := d.Dial("ws://127.0.0.1:"+port+"/", http.Header{"Origin": {"chrome-extension://" + extlink.DefaultID}})
	if err != nil {
		return nil, err
	}
	if err := Shake(ws, extlink.Extension, port, token); err != nil {
		_ = ws.Close()
		return nil, err
	}
	return ws, nil
}

// Shake is the peer's side of the handshake.
func Shake(ws *websocket.Conn, p extlink.Peer, port, token string) error {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	nonce := base64.RawURLEncoding.EncodeToString(raw[:])
	if err := ws.WriteJSON(map[string]string{"type": "hello", "nonce": nonce}); err != nil {
		return err
	}
	var m struct{ Type, Nonce, Proof string }
	if err := ws.ReadJSON(&m); err != nil {
		return err
	}
	if m.Type != "challenge" || m.Proof != Proof(token, p.Subprotocol, "hub", port, nonce, m.Nonce) {
		return fmt.Errorf("what answers is not the hub: %+v", m)
	}
	return ws.WriteJSON(map[string]string{"type": "proof",
		"proof": Proof(token, p.Subprotocol, p.Role, port, nonce, m.Nonce)})
}

// Proof is what an end proves with that it knows the token.
func Proof(token string, parts ...string) string {
	h := hmac.New(sha256.New, []byte(token))
	_, _ = h.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
