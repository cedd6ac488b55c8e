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
	// Subprotocol is what the extension speaks on the path "/".
	Subprotocol = "webmcp-hub.v2"
	// tokenProtocol begins the subprotocol that carries the pairing token, for
	// peers that send it ([Peer]): a browser's WebSocket can send no header of its own.
	tokenProtocol = "webmcp-hub.token."
	// challengeProtocol is offered by those of them that rather have the handshake.
	challengeProtocol = "webmcp-hub.challenge"
	originScheme      = "chrome-extension://"

	wsBuffer = 64 << 10
)

// Guard says who may connect. Its fields must not change while it is used; its
// methods may be called from any goroutine.
type Guard struct {
	IDs    []string // of the extensions that are allowed
	Token  string   // the pairing token
	Logger *slog.Logger
	// TurnedAway, if not nil, is told which peer was sent away that the user would
	// want to connect (its [Peer.Called]), and why. It must not wait.
	TurnedAway func(who, why string)

	noise   *rate.Limiter
	shaking chan struct{} // one for each handshake under way
}

// NewGuard makes a guard that logs whom it sends away, at a bounded rate.
func NewGuard(ids []string, token string, log *slog.Logger) *Guard {
	return &Guard{IDs: ids, Token: token, Logger: log, noise: rate.NewLimiter(rate.Every(time.Second), 10),
		shaking: make(chan struct{}, maxHandshakes)}
}

// Only lets nobody through to next but allowed extensions that address this
// computer: others get 403, whatever they ask for.
func (g *Guard) Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := g.objection(r); why != "" {
			g.say("a connection to the extension's port was refused", r, why)
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Peer is a kind of peer that connects.
type Peer struct {
	Subprotocol string // what it speaks
	Role        string // its word for itself in the handshake
	Called      string // what users call it, with its article
	// MayBeSilent says that it has no way to say just that it is there.
	MayBeSilent bool
	// SendsToken says that it may send the token as a subprotocol in place of the
	// handshake. What has taken the hub's port gets it then.
	SendsToken bool
	// Outdated, if not empty, is a subprotocol of old whose peers are told to be
	// brought up to date.
	Outdated string
}

// Extension is the hub's own extension, on the path "/".
var Extension = Peer{Subprotocol: Subprotocol, Role: "extension", Called: "a browser's extension",
	Outdated: "webmcp-hub.v1"}

// WebSocket upgrades requests that [Guard.Only] let through, has the peer prove
// that it knows the token, and hands the wire to serve, which owns it from then
// on, as one that the extension speaks on; serve is called from the request's goroutine and may stay in it. A peer
// without the token hears [CloseWrongToken]: a browser's WebSocket can't see an
// HTTP status.
func (g *Guard) WebSocket(p Peer, serve func(Link)) http.Handler {
	up := websocket.Upgrader{
		ReadBufferSize: wsBuffer, WriteBufferSize: wsBuffer,
		Subprotocols: []string{p.Subprotocol},
		CheckOrigin:  func(*http.Request) bool { return true }, // Only has done so
	}
	if p.Outdated != "" {
		up.Subprotocols = append(up.Subprotocols, p.Outdated)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case g.shaking <- struct{}{}:
		default:
			http.Error(w, "too many connections that have yet to prove who they are", http.StatusServiceUnavailable)
			return
		}
		wire := g.admit(up, p, w, r)
		<-g.shaking
		if wire != nil {
			serve(wire)
		}
	})
}

// admit gives the wire of a peer that has proved itself, or nil.
func (g *Guard) admit(up websocket.Upgrader, p Peer, w http.ResponseWriter, r *http.Request) Link {
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return nil // the answer is written
	}
	defer context.AfterFunc(r.Context(), func() { _ = ws.Close() })() // when the server ends
	wire := newWSWire(ws)
	switch {
	case p.Outdated != "" && ws.Subprotocol() == p.Outdated:
		g.reject(wire, r, p, CloseOutdated, outdated)
	case p.SendsToken && g.saysToken(r):
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
			g.say("a connection to the extension's port did not prove who it is", r, err.Error())
			wire.partFrom(ClosePolicy, "the handshake failed")
		}
	}
	return nil
}

// outdated is what an extension hears that speaks as those of old did.
const outdated = "the extension is older than the hub: webmcp-hub extension install writes the new one; then reload it"

// wrongToken is what a peer without the right token hears.
const wrongToken = "wrong pairing token: webmcp-hub extension pair prints the right one"

// reject sends a peer away that somebody has to do something about.
func (g *Guard) reject(wire *wsWire, r *http.Request, p Peer, code int, why string) {
	g.say(p.Called+" was refused", r, why)
	if g.TurnedAway != nil {
		g.TurnedAway(p.Called, why)
	}
	wire.partFrom(code, why)
}

// partFrom says why, waits a moment for the peer to hear it, and closes.
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

// objection says why a request is none of an allowed extension's, or "".
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

// loopbackHost says whether a request names this computer and the port that it
// came to: a page's own name that leads here doesn't.
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

// saysToken says whether the request carries the pairing token.
func (g *Guard) saysToken(r *http.Request) bool {
	right := 0
	for _, p := range websocket.Subprotocols(r) {
		if token, ok := strings.CutPrefix(p, tokenProtocol); ok {
			right |= subtle.ConstantTimeCompare([]byte(token), []byte(g.Token))
		}
	}
	return right == 1 && g.Token != ""
}

func (g *Guard) say(what string, r *http.Request, why string) {
	if g.noise.Allow() {
		g.Logger.Warn(what, "origin", fmt.Sprintf("%.200q", r.Header.Get("Origin")), "why", why)
	}
}
