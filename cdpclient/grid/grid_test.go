package grid

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// said are the statuses that a dial tells; the channel has each.
type said struct {
	log  bytes.Buffer
	says chan string
}

func (s *standIn) grid(t *testing.T, set ...func(*Options)) (*Grid, *said) {
	t.Helper()
	told := &said{says: make(chan string, 100)}
	o := Options{
		URL:          strings.Replace(s.URL, "http://", "http://user:s3cret@", 1) + "/base/",
		Args:         []string{"--enable-features=WebMCP"},
		Capabilities: map[string]any{"zone:name": "eu"},
		OnStatus:     func(_ context.Context, status string) { told.says <- status },
		Log:          slog.New(slog.NewTextHandler(&told.log, nil)),
	}
	for _, change := range set {
		change(&o)
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g, told
}

// TestSession: a browser is asked for, spoken with, looked at, and given back; all is asked at
// the grid's own address with the password, wherever its se:cdp says that it is.
func TestSession(t *testing.T) {
	s := start(t)
	g, told := s.grid(t)
	w, err := g.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan cdpclient.Message, 10)
	c := cdpclient.NewConn(w, func(m cdpclient.Message) { heard <- m })
	c.Post("", cdpclient.BrowserGetVersion, nil, "tag")
	if r, ok := (<-heard).(cdpclient.Reply); !ok || r.Err != nil || !strings.Contains(string(r.Result), "Chrome") {
		t.Errorf("the browser says %+v", r)
	}
	<-s.looking
	_ = c.Close()
	_ = w.Close() // once is enough
	got := s.log()
	for _, want := range []string{"POST/base/session ", "GET/base/session/ID/se/cdp", "GET/base/status", "GET/base/session/ID/window/handles", "DELETE/base/session/ID"} {
		if !strings.Contains(got, want) {
			t.Errorf("nobody asked %s: %s", want, got)
		}
	}
	if strings.Contains(got, "!") || strings.Count(got, "DELETE") != 1 {
		t.Errorf("asked without the password, or given back twice: %s", got)
	}
	options, _ := s.wanted["goog:chromeOptions"].(map[string]any)
	if args, _ := options["args"].([]any); len(args) != 1 || args[0] != "--enable-features=WebMCP" || s.wanted["browserName"] != "chrome" || s.wanted["zone:name"] != "eu" || s.wanted["unhandledPromptBehavior"] != "ignore" {
		t.Errorf("asked for %v", s.wanted)
	}
	if first := <-told.says; !strings.HasPrefix(first, "waiting for a browser of the grid at http://127.0.0.1:") || strings.Contains(first, "user") {
		t.Errorf("said %q", first)
	}
	if told.log.Len() > 0 {
		t.Errorf("logged %s", told.log.String())
	}
}

// TestTheBrowserDies: the grid leaves the websocket open, and is asked.
func TestTheBrowserDies(t *testing.T) {
	s := start(t)
	g, _ := s.grid(t)
	w, err := g.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.set(func() { s.died = true })
	_, err = w.Read()
	if !errors.Is(err, cdpclient.ErrQuit) || !strings.Contains(err.Error(), "the grid's browser has ended (invalid session id: ") {
		t.Errorf("got %v", err)
	}
	_ = w.Close()
	if got := s.log(); !strings.HasSuffix(got, "DELETE/base/session/ID") {
		t.Errorf("its place isn't free: %s", got)
	}
}

// TestTheConnectionIsLost says so, and gives the browser back.
func TestTheConnectionIsLost(t *testing.T) {
	s := start(t)
	g, _ := s.grid(t)
	w, err := g.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.chrome.Disconnect()
	if _, err = w.Read(); !errors.Is(err, cdpclient.ErrQuit) || !strings.Contains(err.Error(), "or the connection to it was lost") {
		t.Errorf("got %v", err)
	}
	_ = w.Close()
	if got := s.log(); !strings.HasSuffix(got, "DELETE/base/session/ID") {
		t.Errorf("its place isn't free: %s", got)
	}
}

// TestQueue: whoever waits is told how the grid stands, and can stop to wait.
func TestQueue(t *testing.T) {
	s := start(t)
	s.hold = make(chan struct{})
	g, told := s.grid(t)
	ctx, cancel := context.WithCancel(t.Context())
	var dialling sync.WaitGroup
	dialling.Go(func() {
		if w, err := g.Dial(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", w, err)
		}
	})
	<-told.says
	if got := <-told.says; !strings.HasSuffix(got, ": 1 of its 1 places are in use, and requests that wait: 1") {
		t.Errorf("said %q", got)
	}
	cancel()
	dialling.Wait()
}

// TestRefusals are told in clear words, without what is secret.
func TestRefusals(t *testing.T) {
	s := start(t)
	for name, c := range map[string]struct {
		set  func()
		want string
	}{
		"queue":       {func() { s.refuse = "queue-timeout.json" }, "gave no browser: no browser became free for as long as the grid lets requests wait (its --session-request-timeout), or none of its nodes has what was asked for: session not created: Could not start a new session. New session request timed out"},
		"not started": {func() { s.refuse = "not-started.json" }, "Chrome instance exited"},
		"elsewhere":   {func() { s.refuse, s.cdp = "", "ws://user:s3cret@127.0.0.1:1/x" }, "its DevTools can't be reached: connect to Chrome at ws://127.0.0.1:1/x: a websocket's address can't have a user"},
		"no address":  {func() { s.cdp = "http://h" }, "its se:cdp is not the address of a websocket"},
	} {
		s.set(func() { s.asked = nil; c.set() })
		g, _ := s.grid(t)
		_, err := g.Dial(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 700 {
			t.Errorf("%s: %v", name, err)
		}
		if given := strings.HasSuffix(s.log(), "DELETE/base/session/ID"); given != (s.refuse == "") {
			t.Errorf("%s: a session that can't be used must be given back: %s", name, s.log())
		}
		s.set(func() { s.refuse, s.cdp = "", "" })
	}
	g, _ := s.grid(t, func(o *Options) {
		o.Header = func() (http.Header, error) { return nil, errors.New("the header X can't be read") }
	})
	if _, err := g.Dial(t.Context()); err == nil || !strings.Contains(err.Error(), "the header X can't be read") {
		t.Errorf("got %v", err)
	}
	for status, want := range map[int]string{401: "--grid-header", 307: "it has moved (307)", 200: "is it a Selenium Grid 4?", 502: "it answered 502, but not as WebDriver does"} {
		other := newAnswer(t, status)
		g, err := New(Options{URL: other})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Dial(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
	for _, bad := range []string{"", "grid:4444", "ftp://grid", "http://"} {
		if _, err := New(Options{URL: bad}); err == nil {
			t.Errorf("%q is a grid", bad)
		}
	}
}

// TestElsewhere: DevTools that aren't the grid's own are sent nothing secret.
func TestElsewhere(t *testing.T) {
	s, other := start(t), start(t)
	s.cdp = strings.Replace(other.URL, "http", "ws", 1) + "/devtools/browser/cdptest"
	g, _ := s.grid(t)
	address, header, err := g.cdp(t.Context(), sessionAt(s.cdp))
	if err != nil || address != s.cdp || header != nil {
		t.Errorf("%s, %v, %v", address, header, err)
	}
	for cdp, want := range map[string]string{
		"wss://10.0.0.1:5555/session/x/se/cdp":           "/base/session/x/se/cdp",
		"ws://10.0.0.1:5555/base/session/x/se/cdp":       "/base/session/x/se/cdp",
		strings.Replace(s.URL, "http", "ws", 1) + "/any": "/base/any",
	} {
		address, header, err := g.cdp(t.Context(), sessionAt(cdp))
		if err != nil || address != strings.Replace(s.URL, "http", "ws", 1)+want || header.Get("Authorization") == "" {
			t.Errorf("%s: %s, %v, %v", cdp, address, header, err)
		}
	}
}

func sessionAt(cdp string) session {
	s := session{ID: "x"}
	s.Capabilities.CDP = cdp
	return s
}

// TestSessionTimeout: sessions are looked at often enough for the node that waits least.
func TestSessionTimeout(t *testing.T) {
	s := start(t)
	g, _ := s.grid(t)
	if took, err := g.sessionTimeout(t.Context()); err != nil || took != 20*time.Second {
		t.Errorf("%v, %v", took, err)
	}
}
