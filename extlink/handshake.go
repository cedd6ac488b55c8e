package extlink

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// In the handshake both sides prove that they know the pairing token without sending it:
//
//	peer  {"type":"hello","nonce":P}
//	hub   {"type":"challenge","nonce":H,"proof":MAC("hub")}
//	peer  {"type":"proof","proof":MAC(the peer's role)}
//
// The hub proves itself first, so a program that has taken the hub's port gets no proof that it could show the hub.
// The MAC covers the role of its maker and the port, so nobody who listens on another port can forward the messages.

const (
	// handshakeLimit is how long a handshake may take.
	handshakeLimit = 5 * time.Second
	// maxHandshake is how many bytes a message of the handshake may have.
	maxHandshake = 1 << 10
	// maxHandshakes is how many handshakes may run at the same time.
	maxHandshakes = 32

	roleHub = "hub"
)

// errWrongProof is the error for a peer that doesn't know the token, or that has rejected the hub's proof.
var errWrongProof = errors.New("wrong pairing token")

type handshakeMessage struct {
	Type  string `json:"type"`
	Nonce string `json:"nonce,omitempty"`
	Proof string `json:"proof,omitempty"`
}

// shake does the handshake with a peer that has connected to port.
func (g *Guard) shake(ws *websocket.Conn, p Peer, port string) error {
	ws.SetReadLimit(maxHandshake)
	_ = ws.SetReadDeadline(time.Now().Add(handshakeLimit))
	_ = ws.SetWriteDeadline(time.Now().Add(handshakeLimit))
	hello, err := hear(ws, "hello")
	if err != nil {
		return err
	}
	if !soundNonce(hello.Nonce) {
		return errors.New("hello without a nonce of 32 bytes in base64url")
	}
	nonce := encode(random())
	proof := func(role string) string { return encode(mac(g.Token, p.Subprotocol, role, port, hello.Nonce, nonce)) }
	if err := ws.WriteJSON(handshakeMessage{Type: "challenge", Nonce: nonce, Proof: proof(roleHub)}); err != nil {
		return err
	}
	answer, err := hear(ws, "proof")
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(answer.Proof), []byte(proof(p.Role))) {
		return errWrongProof
	}
	ws.SetReadLimit(0)
	_ = ws.SetReadDeadline(time.Time{})
	return nil
}

// hear reads the next message of the handshake, which must have the given type.
func hear(ws *websocket.Conn, kind string) (m handshakeMessage, err error) {
	_, data, err := ws.ReadMessage()
	switch {
	case websocket.IsCloseError(err, CloseWrongToken): // the peer rejected the hub's proof
		return m, errWrongProof
	case err != nil:
		return m, err
	case json.Unmarshal(data, &m) != nil || m.Type != kind:
		return m, fmt.Errorf("it did not send %s", kind)
	}
	return m, nil
}

// mac returns the proof that a side knows the token.
func mac(token, subprotocol, role, port, peerNonce, hubNonce string) []byte {
	h := hmac.New(sha256.New, []byte(token))
	_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n%s\n%s", subprotocol, role, port, peerNonce, hubNonce)
	return h.Sum(nil)
}

func random() []byte {
	nonce := make([]byte, sha256.Size)
	_, _ = rand.Read(nonce) // never fails
	return nonce
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// soundNonce reports whether a text is 32 bytes in base64url. Because the length is fixed, the parts of a MAC are
// unambiguous.
func soundNonce(s string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(raw) == sha256.Size && len(s) == base64.RawURLEncoding.EncodedLen(sha256.Size)
}

// portOf returns the port on which a request arrived.
func portOf(r *http.Request) string {
	here, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if here == nil {
		return ""
	}
	_, port, _ := net.SplitHostPort(here.String())
	return port
}
