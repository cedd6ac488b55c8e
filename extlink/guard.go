package extlink

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

const (
	// Subprotocol is the extension's subprotocol, on the path "/".
	Subprotocol = "webmcp-hub.v2"
	// tokenProtocol is the prefix of the subprotocol that carries the pairing token, for peers that send the token
	// ([Peer]). A browser's WebSocket can't send headers of its own.
	tokenProtocol = "webmcp-hub.token."
	// challengeProtocol is the subprotocol by which such a peer asks for the handshake instead.
	challengeProtocol = "webmcp-hub.challenge"
	originScheme      = "chrome-extension://"

	wsBuffer = 64 << 10
)

// Guard decides who may connect. Its fields must not change while it is used; its methods may be called from any
// goroutine.
type Guard struct {
	IDs    []string // ids of the extensions that may connect
	Token  string   // the pairing token
	Logger *slog.Logger
	// TurnedAway, if not nil, is called when the guard rejects a peer in a case that the user has to resolve. who is
	// the peer's [Peer.Called]. TurnedAway must not wait.
	TurnedAway func(who, why string)

	logLimit *rate.Limiter
	shaking  chan struct{} // has an element for each running handshake
}

// NewGuard returns a guard that logs rejected peers, at a limited rate.
func NewGuard(ids []string, token string, log *slog.Logger) *Guard {
	return &Guard{IDs: ids, Token: token, Logger: log, logLimit: rate.NewLimiter(rate.Every(time.Second), 10),
		shaking: make(chan struct{}, maxHandshakes)}
}

// Only passes to next only those requests that come from allowed extensions and are addressed to this computer. All
// other requests get status 403, whatever their path.
func (g *Guard) Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := g.objection(r); why != "" {
			g.warn("a connection to the extension's port was refused", r, why)
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Peer is a kind of peer.
type Peer struct {
	Subprotocol string // the subprotocol that it uses
	Role        string // its name for itself in the handshake
	Called      string // what users call it, with its article
	// MayBeSilent says that the peer has no message that only shows that the peer is alive.
	MayBeSilent bool
	// SendsToken says that the peer may send the token as a subprotocol instead of doing the handshake. A program that
	// has taken the hub's port then learns the token.
	SendsToken bool
	// Outdated, if not empty, is an older subprotocol. The hub tells peers with that subprotocol to update.
	Outdated string
}

// Extension is the hub's own extension, on the path "/".
var Extension = Peer{Subprotocol: Subprotocol, Role: "extension", Called: "a browser's extension",
	Outdated: "webmcp-hub.v1"}

// WebSocket upgrades requests that [Guard.Only] has let through, and makes the peer prove that it knows the token. It
// then calls serve in the request's goroutine, and serve owns the link from then on. A peer without the token gets
// [CloseWrongToken], because the browser doesn't show an HTTP status to the script that opened the WebSocket.
func (g *Guard) WebSocket(p Peer, serve func(Link)) http.Handler {
	up := websocket.Upgrader{
		ReadBufferSize: wsBuffer, WriteBufferSize: wsBuffer,
		Subprotocols: []string{p.Subprotocol},
		CheckOrigin:  func(*http.Request) bool { return true }, // Only has checked it
	}
	if p.Outdated != "" {
		up.Subprotocols = append(up.Subprotocols, p.Outdated)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case g.shaking <- struct{}{}:
		default:
			http.Error(w, "too many connections have not proved yet who they are", http.StatusServiceUnavailable)
			return
		}
		wire := g.admit(up, p, w, r)
		<-g.shaking
		if wire != nil {
			serve(wire)
		}
	})
}

// admit returns the link of a peer that has proved itself, or nil.
func (g *Guard) admit(up websocket.Upgrader, p Peer, w http.ResponseWriter, r *http.Request) Link {
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return nil // Upgrade has written the answer
	}
	defer context.AfterFunc(r.Context(), func() { _ = ws.Close() })() // closes ws when the server ends
	wire := newWSWire(ws)
	switch {
	case p.Outdated != "" && ws.Subprotocol() == p.Outdated:
		g.reject(wire, r, p, CloseOutdated, outdated)
	case p.SendsToken && g.hasToken(r):
		return wire
	case p.SendsToken && !slices.Contains(websocket.Subprotocols(r), challengeProtocol):
		g.reject(wire, r, p, CloseWrongToken, wrongToken)
	default:
		switch err := g.shake(ws, p, portOf(r)); {
		case err == nil:
			return wire
		case errors.Is(err, errWrongProof):
			g.reject(wire, r, p, CloseWrongToken, wrongToken)
		default:
			g.warn("a connection to the extension's port did not prove who it is", r, err.Error())
			wire.partFrom(ClosePolicy, "the handshake failed")
		}
	}
	return nil
}

// outdated is the reason that the hub sends to an extension with an old subprotocol.
const outdated = "the extension is older than the hub: webmcp-hub extension install writes the new one; then reload it"

// wrongToken is the reason that the hub sends to a peer without the right token.
const wrongToken = "wrong pairing token: webmcp-hub extension pair prints the right one"

// reject refuses a peer in a case that the user has to resolve.
func (g *Guard) reject(wire *wsWire, r *http.Request, p Peer, code int, why string) {
	g.warn(p.Called+" was refused", r, why)
	if g.TurnedAway != nil {
		g.TurnedAway(p.Called, why)
	}
	wire.partFrom(code, why)
}

// partFrom sends the peer the reason, waits up to closeGrace for the peer to leave, and closes the connection.
func (w *wsWire) partFrom(code int, reason string) {
	w.Part(code, reason)
	_ = w.ws.SetReadDeadline(time.Now().Add(closeGrace))
	w.ws.SetReadLimit(wsBuffer)
	for {
		if _, _, err := w.ws.NextReader(); err != nil {
			break
		}
	}
	_ = w.Close()
}

// objection returns the reason to refuse a request, or "" if an allowed extension on this computer made it.
func (g *Guard) objection(r *http.Request) string {
	if !loopbackHost(r) {
		return "the extension's port is for this computer only"
	}
	origins := r.Header.Values("Origin")
	if len(origins) != 1 {
		return "the extension's port is for the extension only"
	}
	id, ok := strings.CutPrefix(origins[0], originScheme)
	switch {
	case !ok:
		return "the extension's port is for the extension only, not for web pages"
	case !slices.Contains(g.IDs, id):
		return fmt.Sprintf("the extension %.64q is not allowed here (--extension-id allows it)", id)
	}
	return ""
}

// loopbackHost reports whether a request's Host is a name of this computer with the port on which the request arrived.
// A page's own host name that resolves to this computer doesn't count.
func loopbackHost(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return false
	}
	if here := portOf(r); here != "" && port != here {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// hasToken reports whether the request carries the pairing token.
func (g *Guard) hasToken(r *http.Request) bool {
	right := 0
	for _, p := range websocket.Subprotocols(r) {
		if token, ok := strings.CutPrefix(p, tokenProtocol); ok {
			right |= subtle.ConstantTimeCompare([]byte(token), []byte(g.Token))
		}
	}
	return right == 1 && g.Token != ""
}

func (g *Guard) warn(what string, r *http.Request, why string) {
	if g.logLimit.Allow() {
		g.Logger.Warn(what, "origin", fmt.Sprintf("%.200q", r.Header.Get("Origin")), "why", why)
	}
}
