package live

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are fixed for the life of a [Pages].
type Options struct {
	Listener net.Listener
	Hosts    []string // host names of the listener, besides the names of this computer
	Logger   *slog.Logger
}

// Pages serves live pages: the page of a hub, or the pages of a gateway's tenants with a list of the tenants. A browser
// that was let in may see all of them.
type Pages struct {
	log      *slog.Logger
	listener net.Listener
	auth     *auth
	state    pagesState
}

// pagesState is the state of a Pages. Use do to access it.
type pagesState struct {
	mu sync.Mutex // guards the fields below; nothing blocks under it
	visitors
	pages     map[string]*Server // by tenant; "" is the page of a hub without tenants
	codes     map[string]*code   // the codes that are shown, by id
	followers int                // how many browsers follow the list of tenants
}

// NewPages returns a Pages that serves nothing yet. The caller must call Serve or Close.
func NewPages(o Options) *Pages {
	return &Pages{log: o.Logger, listener: o.Listener, auth: newAuth(o.Listener.Addr(), o.Hosts),
		state: pagesState{visitors: newVisitors(), pages: map[string]*Server{}, codes: map[string]*code{}}}
}

func (st *pagesState) do(action func(*pagesState)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	action(st)
}

// Page makes the page of a tenant. The tenant's name consists of a-z, 0-9 and -; it is "" for the only page. The page
// is not served before [Server.Show], which also says how the page ends.
func (s *Pages) Page(tenant string) *Server {
	p := &Server{Pages: s, tenant: tenant, log: s.log, store: newStore()}
	if tenant != "" {
		p.log = p.log.With("tenant", tenant)
	}
	return p
}

// Address returns the address of the live pages. It is no secret to a browser that was let in.
func (s *Pages) Address() string { return "http://" + s.listener.Addr().String() + s.auth.path }

// Link returns an address that lets one browser in, once, within [LinkTime].
func (s *Pages) Link() string {
	var token string
	s.state.do(func(st *pagesState) { token = st.link(time.Now()) })
	return s.Address() + "?token=" + token
}

// Secret returns the secret with which a program of this user gets a link. The program sends a POST to [Pages.Address]
// plus "link", with the secret as bearer token and with the address's own Origin. In the same way, plus "code", it has
// the page show a code.
func (s *Pages) Secret() string { return s.auth.secret }

// Close ends a Pages that is not being served.
func (s *Pages) Close() {
	_ = s.listener.Close()
}

// Serve serves the pages that are shown, until ctx ends. It may be called once.
func (s *Pages) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	defer server.Close() // ends the streams of pictures, for which the end of a page waits
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// maxBody is how long a form may be, in bytes.
const maxBody = 1 << 20

func (s *Pages) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if status, why := s.auth.refuses(r); status != 0 {
			s.note(w, status, "WebMCP Hub", why, "")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		what := strings.TrimPrefix(r.URL.Path, s.auth.path)
		if token := r.URL.Query().Get("token"); what == "" && token != "" && r.Method == http.MethodGet {
			s.enter(w, r, token)
			return
		}
		// Links, codes and assets are served without a session: they reveal nothing about the hub.
		if what == "link" {
			s.giveLink(w, r)
			return
		}
		if what == "code" {
			s.codes(w, r)
			return
		}
		if s.asset(w, what[strings.LastIndexByte(what, '/')+1:]) {
			return
		}
		var session string
		s.state.do(func(st *pagesState) { session = st.session(r.CookiesNamed(cookieName)) })
		if session == "" {
			s.note(w, http.StatusUnauthorized, "This browser has not been let in",
				"Links in the hub's log let one browser in, once. \"webmcp-hub ui\" makes another.", "")
			return
		}
		s.serve(w, r, what, session)
	})
}

// serve serves a request of a session.
func (s *Pages) serve(w http.ResponseWriter, r *http.Request, what, session string) {
	tenant, rest, within := strings.Cut(what, "/")
	var only, one *Server
	s.state.do(func(st *pagesState) { only, one = st.pages[""], st.pages[tenant] })
	switch {
	case only != nil:
		only.serve(w, r, what, session)
	case within && one != nil:
		one.serve(w, r, rest, session)
	case within:
		s.note(w, http.StatusNotFound, "There is no such tenant now", "It was taken out of the gateway's file of "+
			"tenants, or never was in it.", s.auth.path)
	case what == "":
		s.render(w, http.StatusOK, "tenants", s.tenants())
	case what == "events":
		s.events(w, r, session)
	default:
		s.note(w, http.StatusNotFound, "There is nothing here", "The list of tenants is one step back.", "./")
	}
}

// tenants returns the list of tenants' pages.
func (s *Pages) tenants() Tenants {
	list := Tenants{Title: "WebMCP Hub", Now: time.Now()}
	var pages []*Server
	s.state.do(func(st *pagesState) {
		for _, p := range st.pages {
			pages = append(pages, p)
		}
	})
	for _, p := range pages {
		t := Tenant{Name: p.tenant, Clients: len(p.hub.Clients())}
		p.store.ask(func(b *store) {
			t.Tabs, t.Calls, t.Questions = len(b.state.Catalog().Tabs()), len(b.running), len(b.questions)
		})
		list.All = append(list.All, t)
	}
	slices.SortFunc(list.All, func(a, b Tenant) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// events sends a viewer the list of tenants when it changes.
func (s *Pages) events(w http.ResponseWriter, r *http.Request, session string) {
	admitted := false
	s.state.do(func(st *pagesState) {
		if admitted = st.followers < maxViewers; admitted {
			st.followers++
		}
	})
	if !admitted {
		s.note(w, http.StatusServiceUnavailable, "Too many browsers follow this page",
			"Close some of its tabs, and reload this one.", "")
		return
	}
	defer s.state.do(func(st *pagesState) { st.followers-- })
	w.Header().Set("Content-Type", "text/event-stream")
	ctx, leave := s.stay(r.Context(), session)
	defer leave()
	follow(ctx, s.log, nil, func(sent map[string][32]byte) ([]byte, error) {
		return update(s.tenants(), TenantsSections, sent)
	}, writer(w))
}

// enter lets a browser in.
func (s *Pages) enter(w http.ResponseWriter, r *http.Request, token string) {
	var cookie string
	s.state.do(func(st *pagesState) { cookie = st.enter(token, time.Now()) })
	if cookie == "" {
		s.note(w, http.StatusUnauthorized, "This link no longer works", "Each link lets one browser in, once, "+
			"and not for long. \"webmcp-hub ui\" makes another.", "./")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: cookie, Path: s.auth.path, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, s.auth.path, http.StatusSeeOther)
}

// users reports whether a request comes from a program of the hub's user.
func (s *Pages) users(r *http.Request) bool {
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return r.Method == http.MethodPost && subtle.ConstantTimeCompare([]byte(given), []byte(s.auth.secret)) == 1
}

// giveLink gives a link to a program of the hub's user.
func (s *Pages) giveLink(w http.ResponseWriter, r *http.Request) {
	if !s.users(r) {
		s.note(w, http.StatusForbidden, "WebMCP Hub", "Only programs of the hub's user get links here.", "")
		return
	}
	_, _ = w.Write([]byte(s.Link()))
}

// assets are the files that pages need besides their HTML, with their content types.
var assets = map[string]string{
	"live.css": "text/css; charset=utf-8",
	"live.js":  "text/javascript; charset=utf-8",
	"watch.js": "text/javascript; charset=utf-8",
}

// asset serves an asset. It returns false if there is no asset with that name.
func (s *Pages) asset(w http.ResponseWriter, name string) bool {
	kind, is := assets[name]
	if is {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(Asset(name))
	}
	return is
}

// render answers with a page.
func (s *Pages) render(w http.ResponseWriter, status int, name string, of any) {
	var b bytes.Buffer
	if err := Render(&b, name, of); err != nil {
		s.log.Error("the live page can't be made", "err", err)
		http.Error(w, "the page can't be made; the hub's log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func (s *Pages) note(w http.ResponseWriter, status int, title, text, back string) {
	s.render(w, status, "note", Note{Title: title, Text: text, Back: back})
}
