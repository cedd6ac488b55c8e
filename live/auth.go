package live

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"webmcphub/registry/names"
)

const (
	// LinkTime is how long an unused link works.
	LinkTime = 10 * time.Minute

	cookieName  = "webmcp-hub"
	maxLinks    = 20
	maxSessions = 20
)

// auth decides which requests are served. It never changes.
type auth struct {
	path  string   // the path of all pages begins with it; other servers on this computer don't know it
	port  string   // the port of the address that is served
	hosts []string // the host names of the listener, besides those of this computer
	// secret is known to programs of this user, which may request links with it.
	secret string
}

// visitors holds the links that may be used, and the sessions of the browsers that used one.
type visitors struct {
	links    map[string]time.Time // unused tokens, and until when they work
	sessions []string             // the cookies that were given, the oldest first
	stays    map[*stay]bool       // the streams that are open
}

// stay is a stream that a session has open, with the function that ends it.
type stay struct {
	session string
	end     context.CancelFunc
}

func newVisitors() visitors { return visitors{links: map[string]time.Time{}, stays: map[*stay]bool{}} }

func newAuth(at net.Addr, hosts []string) *auth {
	a := &auth{path: names.LivePath + rand.Text() + "/", secret: rand.Text() + rand.Text()}
	for _, h := range hosts {
		a.hosts = append(a.hosts, strings.ToLower(h))
	}
	if tcp, is := at.(*net.TCPAddr); is {
		_, a.port, _ = net.SplitHostPort(tcp.String())
	}
	return a
}

// link makes a token that lets one browser in, once.
func (v *visitors) link(now time.Time) (token string) {
	for t, until := range v.links {
		if !now.Before(until) || len(v.links) >= maxLinks {
			delete(v.links, t)
		}
	}
	token = rand.Text()
	v.links[token] = now.Add(LinkTime)
	return token
}

// enter uses up a token, and returns the cookie for it. It returns "" if the token doesn't work.
func (v *visitors) enter(token string, now time.Time) (cookie string) {
	until, is := v.links[token]
	delete(v.links, token)
	if !is || !now.Before(until) {
		return ""
	}
	cookie = rand.Text() + rand.Text()
	if v.sessions = append(v.sessions, cookie); len(v.sessions) > maxSessions {
		for one := range v.stays {
			if one.session == v.sessions[0] {
				one.end()
			}
		}
		v.sessions = v.sessions[1:]
	}
	return cookie
}

// stay returns a context for a stream of a session. The context ends with ctx, and when the session ends. The caller
// must call leave.
func (s *Pages) stay(ctx context.Context, session string) (_ context.Context, leave func()) {
	ctx, end := context.WithCancel(ctx)
	one := &stay{session, end}
	s.state.do(func(st *pagesState) {
		if st.stays[one] = true; !slices.Contains(st.sessions, session) {
			end()
		}
	})
	return ctx, func() {
		end()
		s.state.do(func(st *pagesState) { delete(st.stays, one) })
	}
}

// session returns the valid session cookie of a request, or "".
func (v *visitors) session(cookies []*http.Cookie) string {
	for _, c := range cookies {
		if i := slices.IndexFunc(v.sessions,
			func(s string) bool { return subtle.ConstantTimeCompare([]byte(s), []byte(c.Value)) == 1 }); i >= 0 {
			return v.sessions[i]
		}
	}
	return ""
}

// nonce returns what a form of a session must contain to do something with one thing on this page. Only a reader
// of the session's pages knows the nonce, and the nonce works for nothing else.
func (s *Server) nonce(session, do, of string) string {
	m := hmac.New(sha256.New, []byte(session))
	m.Write([]byte(do + "\x00" + s.tenant + "\x00" + of))
	return hex.EncodeToString(m.Sum(nil))
}

// secure sets the headers that isolate the page from other sites.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
		"img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with a stricter policy, a form's Origin would be null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuses says why a request isn't served, and with which status; status 0 means that it is served. It doesn't depend
// on the session. Another site's page can send requests here and, through DNS rebinding, under a host name of its
// own.
func (a *auth) refuses(r *http.Request) (status int, why string) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, "80"
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	fetched := r.Header.Get("Sec-Fetch-Site")
	entering := r.Method == http.MethodGet && r.URL.Path == a.path && r.URL.Query().Get("token") != ""
	switch {
	case port != a.port || !names.LeadsHere(host) && !slices.Contains(a.hosts, host):
		return http.StatusForbidden, "This server doesn't have that host name or port; use the address in the hub's log."
	case !strings.HasPrefix(r.URL.Path, a.path):
		return http.StatusNotFound, "There is nothing here. \"webmcp-hub ui\" opens the hub's live page."
	case fetched != "" && fetched != "none" && fetched != "same-origin" && !entering:
		return http.StatusForbidden, "Other sites may not lead here. \"webmcp-hub ui\" opens the hub's live page."
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		return http.StatusForbidden, "Only the page itself may do that."
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "This server knows GET and POST."
	}
	return 0, ""
}
