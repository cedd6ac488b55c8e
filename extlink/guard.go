package extlink

import (
	"crypto/subtle"
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
	Subprotocol = "webmcp-hub.v1"
	// tokenProtocol begins the subprotocol that carries the pairing token: a
	// browser's WebSocket can send no header of its own.
	tokenProtocol = "webmcp-hub.token."
	originScheme  = "chrome-extension://"

	wsBuffer = 64 << 10
)

// Guard says who may connect. Its fields must not change while it is used; its
// methods may be called from any goroutine.
type Guard struct {
	IDs    []string // of the extensions that are allowed
	Token  string   // the pairing token
	Logger *slog.Logger

	noise *rate.Limiter
}

// NewGuard makes a guard that logs whom it sends away, at a bounded rate.
func NewGuard(ids []string, token string, log *slog.Logger) *Guard {
	return &Guard{IDs: ids, Token: token, Logger: log, noise: rate.NewLimiter(rate.Every(time.Second), 10)}
}

// Only lets nobody through to next but allowed extensions that address this
// computer: others get 403, whatever they ask for.
func (g *Guard) Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := g.refuse(r); why != "" {
			g.say("a connection to the extension's port was refused", r, why)
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// WebSocket upgrades requests that [Guard.Only] let through, and hands those
// with the right token to serve, which owns the wire from then on; it is called
// from the request's goroutine and may stay in it. Those without hear
// [CloseWrongToken]: a browser's WebSocket can't see an HTTP status.
func (g *Guard) WebSocket(subprotocol string, serve func(Wire)) http.Handler {
	up := websocket.Upgrader{
		ReadBufferSize: wsBuffer, WriteBufferSize: wsBuffer,
		Subprotocols: []string{subprotocol},
		CheckOrigin:  func(*http.Request) bool { return true }, // Only has done so
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return // the answer is written
		}
		wire := newWSWire(ws)
		if !g.paired(r) {
			g.say("an extension without the right pairing token was refused", r, "webmcp-hub extension pair prints the token")
			wire.partFrom(CloseWrongToken, "wrong pairing token: webmcp-hub extension pair prints the right one")
			return
		}
		serve(wire)
	})
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

// refuse says why a request is none of an allowed extension's, or "".
func (g *Guard) refuse(r *http.Request) string {
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
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, here, err := net.SplitHostPort(local.String()); err != nil || port != here {
			return false
		}
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// paired says whether the request carries the pairing token.
func (g *Guard) paired(r *http.Request) bool {
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
