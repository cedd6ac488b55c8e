package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/fakeclock"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHub is one with one client and no browser.
type fakeHub struct {
	called  chan string
	screens chan Screen // what Screen gives; it is an error while it is empty
	begins  chan func() // what the next call does
}

func (fakeHub) Version() string { return "1.2.3" }
func (fakeHub) Clients() []mcpserver.ClientState {
	return []mcpserver.ClientState{{Session: "stdio-1", Name: "<b>an agent</b>", Revision: "2025-06-18"}}
}
func (fakeHub) ExclusiveHolder(registry.PageID) string                { return "" }
func (fakeHub) ConnectPage(context.Context, registry.PageID) error    { return errors.New("no browser") }
func (fakeHub) DisconnectPage(context.Context, registry.PageID) error { return nil }
func (h fakeHub) Call(_ context.Context, tool string, args json.RawMessage) error {
	select {
	case begins := <-h.begins:
		begins()
	default:
	}
	h.called <- tool + " " + string(args)
	return nil
}

func (h fakeHub) Screen(context.Context, *registry.Tab) (Screen, error) {
	select {
	case s := <-h.screens:
		return s, nil
	default:
		return nil, errors.New("no screen")
	}
}

// visit is a browser at a page that is served.
type visit struct {
	t *testing.T
	*Server
	cookie string
	header http.Header
	fakeHub
}

func serve(t *testing.T) *visit {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewPages(Options{Listener: listener, Logger: slog.New(slog.DiscardHandler)}).Page("")
	ctx, cancel := context.WithCancel(context.Background())
	v := &visit{t: t, Server: s, header: http.Header{}, fakeHub: fakeHub{make(chan string, 1), make(chan Screen, 1), make(chan func(), 1)}}
	over := make(chan error)
	go func() {
		defer s.Show(ctx, v.fakeHub)()
		over <- s.Serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return v
}

// send sends a request as the browser does, with v.header besides.
func (v *visit) send(method, address string, form url.Values, change ...func(*http.Request)) (status int, body string, got http.Header) {
	v.t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.Host)
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", v.cookie)
	}
	for _, c := range change {
		c(r)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(raw), answer.Header
}

func (v *visit) enter() {
	v.t.Helper()
	status, _, h := v.send(http.MethodGet, v.Link(), nil)
	if status != http.StatusSeeOther || h.Get("Location") != v.auth.path {
		v.t.Fatalf("the link gives %d %v", status, h)
	}
	v.cookie, _, _ = strings.Cut(h.Get("Set-Cookie"), ";")
}

func TestTheDoor(t *testing.T) {
	v := serve(t)
	link := v.Link()
	status, _, h := v.send(http.MethodGet, link, nil)
	set := h.Get("Set-Cookie")
	if status != http.StatusSeeOther || !strings.Contains(set, "; Path="+v.auth.path+"; HttpOnly; SameSite=Strict") {
		t.Fatalf("%d, %s", status, set)
	}
	if status, _, h := v.send(http.MethodGet, link, nil); status != http.StatusUnauthorized || h.Get("Set-Cookie") != "" {
		t.Errorf("a link lets in twice: %d", status)
	}
	if status, body, _ := v.send(http.MethodGet, v.Address(), nil); status != http.StatusUnauthorized || strings.Contains(body, "stdio-1") {
		t.Errorf("without a cookie: %d %s", status, body)
	}
	v.cookie, _, _ = strings.Cut(set, ";")
	status, body, h := v.send(http.MethodGet, v.Address(), nil)
	if status != http.StatusOK || !strings.Contains(body, "&lt;b&gt;an agent&lt;/b&gt;") {
		t.Fatalf("with the cookie: %d %s", status, body)
	}
	if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(csp, "unsafe") || h.Get("X-Frame-Options") != "DENY" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("headers: %v", h)
	}
	port := ":" + v.auth.port
	for name, c := range map[string]struct {
		method string
		change func(*http.Request)
		status int
	}{
		"another host's name": {http.MethodGet, func(r *http.Request) { r.Host = "evil.example" + port }, 403},
		"another port":        {http.MethodGet, func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403},
		"no port":             {http.MethodGet, func(r *http.Request) { r.Host = "127.0.0.1" }, 403},
		"localhost":           {http.MethodGet, func(r *http.Request) { r.Host = "localhost" + port }, 200},
		"from another site":   {http.MethodGet, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"from another port":   {http.MethodGet, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"from itself":         {http.MethodGet, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		"a wrong cookie":      {http.MethodGet, func(r *http.Request) { r.Header.Set("Cookie", v.cookie+"x") }, 401},
		"a wrong path":        {http.MethodGet, func(r *http.Request) { r.URL.Path = "/" }, 404},
		"a wrong method":      {http.MethodPut, func(*http.Request) {}, 405},
		"a post to nothing":   {http.MethodPost, func(*http.Request) {}, 405},
		"no origin":           {http.MethodPost, func(r *http.Request) { r.Header.Del("Origin") }, 403},
		"an opaque origin":    {http.MethodPost, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"another origin":      {http.MethodPost, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"another site's post": {http.MethodPost, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
	} {
		if status, body, _ := v.send(c.method, v.Address(), nil, c.change); status != c.status {
			t.Errorf("%s: %d %s, want %d", name, status, body, c.status)
		}
	}
	bearer := func(secret string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }
	}
	if status, body, _ := v.send(http.MethodPost, v.Address()+"link", nil, bearer(v.Secret())); status != 200 || !strings.HasPrefix(body, v.Address()+"?token=") {
		t.Errorf("a program of the user's: %d %s", status, body)
	}
	if status, _, _ := v.send(http.MethodPost, v.Address()+"link", nil, bearer("")); status != 403 {
		t.Errorf("one without the secret: %d", status)
	}
}

func TestLinksAndSessionsAreBounded(t *testing.T) {
	d := newVisitors()
	now := time.Unix(0, 0)
	first := d.link(now)
	if d.enter(first, now.Add(LinkTime)) != "" {
		t.Error("a link holds too long")
	}
	for range 100 {
		d.enter(d.link(now), now)
		d.link(now)
	}
	if len(d.links) > maxLinks || len(d.sessions) > maxSessions {
		t.Errorf("%d links, %d sessions", len(d.links), len(d.sessions))
	}
}

var nonceField = regexp.MustCompile(`name="of" value="([^"]*)"><input type="hidden" name="nonce" value="([^"]*)"`)

func TestAnswersNeedThePagesOwnForm(t *testing.T) {
	v := serve(t)
	v.enter()
	const params = `{"message":"May it? <script>","requestedSchema":{"properties":{"answer":{"title":"May it?","enum":["no","once"],"enumNames":["No","Yes, this once"]}}}}`
	answered := make(chan string, 1)
	go func() {
		raw, err := v.Person(context.Background(), calls.Question{Session: "stdio-1", Client: "<i>", Params: json.RawMessage(params)})
		answered <- fmt.Sprint(string(raw), err)
	}()
	var fields []string
	for range 1000 { // until the question is there
		_, body, _ := v.send(http.MethodGet, v.Address(), nil)
		if fields = nonceField.FindStringSubmatch(body[:strings.Index(body, "id=\"one\"")]); fields != nil {
			if !strings.Contains(body, ">Allow once</button>") || !strings.Contains(body, "May it? &lt;script&gt;") {
				t.Errorf("the question: %s", body)
			}
			break
		}
	}
	if fields == nil {
		t.Fatal("the question doesn't show")
	}
	post := func(cookie, do, of, nonce, answer string) int {
		t.Helper()
		status, _, _ := v.send(http.MethodPost, v.Address()+"do", url.Values{"do": {do}, "of": {of}, "nonce": {nonce}, "answer": {answer}}, func(r *http.Request) { r.Header.Set("Cookie", cookie) })
		return status
	}
	other := serve(t)
	other.enter()
	for name, status := range map[string]int{
		"without a nonce":       post(v.cookie, "answer", fields[1], "", "once"),
		"with that of another":  post(v.cookie, "answer", fields[1], v.nonce("x", "answer", fields[1]), "once"),
		"with that of a pause":  post(v.cookie, "answer", fields[1], v.nonce(strings.TrimPrefix(v.cookie, cookieName+"="), "pause-client", fields[1]), "once"),
		"without a cookie":      post("", "answer", fields[1], fields[2], "once"),
		"with another's cookie": post(other.cookie, "answer", fields[1], fields[2], "once"),
		"with no answer":        post(v.cookie, "answer", fields[1], fields[2], "always"),
	} {
		if status < 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	select {
	case got := <-answered:
		t.Fatalf("it was answered: %s", got)
	default:
	}
	if status := post(v.cookie, "answer", fields[1], fields[2], "once"); status != http.StatusSeeOther {
		t.Errorf("the user's answer: %d", status)
	}
	if got := <-answered; got != `{"action":"accept","content":{"answer":"once"}}<nil>` {
		t.Errorf("the answer is %s", got)
	}
	if status := post(v.cookie, "answer", fields[1], fields[2], "no"); status != http.StatusConflict {
		t.Errorf("a second answer: %d", status)
	}
}

// TestAnAnswerIsTheLast: what was answered is asked no more, also before the call that asked
// has taken the answer; so the page that follows the answer can't ask it again.
func TestAnAnswerIsTheLast(t *testing.T) {
	v := serve(t)
	v.enter()
	q, err := readQuestion(calls.Question{Params: json.RawMessage(`{"message":"May it?","requestedSchema":{"properties":{"answer":{"title":"May it?","enum":["no","once"]}}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	v.store.ask(func(b *store) { b.questions["q"] = q })
	if problem := v.answer("q", url.Values{"answer": {"once"}}); problem != "" {
		t.Fatalf("the answer: %s", problem)
	}
	if shown := v.page(Filter{}, "").Questions; len(shown) != 0 {
		t.Errorf("it is still asked: %+v", shown)
	}
	if problem := v.answer("q", url.Values{"answer": {"no"}}); !strings.Contains(problem, "it was answered") {
		t.Errorf("a second answer: %q", problem)
	}
	if got := string(<-q.answer); !strings.Contains(got, `"once"`) {
		t.Errorf("the call is told %s", got)
	}
}

// TestLinksAreForPeople: what a program fetches beforehand uses no link up, and a link's
// parameter opens nothing else to other sites.
func TestLinksAreForPeople(t *testing.T) {
	v := serve(t)
	link := v.Link()
	v.send(http.MethodHead, link, nil)
	if status, _, _ := v.send(http.MethodGet, link, nil); status != http.StatusSeeOther {
		t.Errorf("after a HEAD the link is answered by %d", status)
	}
	v.enter()
	from := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }
	for _, path := range []string{"export.jsonl", "export.jsonl?token=", "export.jsonl?token=x", "?token="} {
		if status, _, _ := v.send(http.MethodGet, v.Address()+path, nil, from); status != http.StatusForbidden {
			t.Errorf("another site is answered at %s by %d", path, status)
		}
	}
}

// TestNamesAreBounded: a client can call anything anything.
func TestNamesAreBounded(t *testing.T) {
	v := serve(t)
	long := strings.Repeat("n", 256<<10)
	v.Watch(calls.Record{Began: time.Now(), Name: long, Client: long}, func() {})(calls.Record{Name: long, Client: long, Outcome: "refused"}, nil)
	var shown View
	v.store.ask(func(b *store) { shown = b.state.View(Filter{}) })
	if len(shown.Calls) != 1 {
		t.Errorf("%d calls are shown", len(shown.Calls))
	}
	for _, c := range shown.Calls {
		if len(c.Name) > 300 || len(c.Client) > 300 {
			t.Errorf("names of %d and %d bytes are kept", len(c.Name), len(c.Client))
		}
	}
}

// TestDatesOfAnswers: an answer has the dates that were given with it, and no other.
func TestDatesOfAnswers(t *testing.T) {
	const params = `{"message":"May it?","requestedSchema":{"properties":{
		"answer":{"type":"string","title":"May it?","enum":["no","date"],"enumNames":["No","Until a date"]},
		"until":{"type":"string","format":"date","title":"Until the end of","description":"up to 2027"}},"required":["answer"]}}`
	q, err := readQuestion(calls.Question{Params: json.RawMessage(params)})
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"2026-12-01": `{"action":"accept","content":{"answer":"date","until":"2026-12-01"}}`,
		"":           `{"action":"accept","content":{"answer":"date"}}`,
	} {
		if got := q.answerTo("date", url.Values{"until": {given}, "more": {"x"}}.Get); string(got) != want {
			t.Errorf("%q: %s", given, got)
		}
	}
	var html strings.Builder
	shown := Question{ID: "x", Text: q.text, Legend: q.legend, Choices: q.choices, Dates: q.dates}
	if err := Render(&html, "questions", Page{Questions: []Question{shown}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`Until the end of <input type="date" name="date.until">`, "up to 2027", "Until that day ends, this client may do that"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("there is no %s in %s", want, &html)
		}
	}
}

func TestQuestionsThatThePageCantShow(t *testing.T) {
	for params, choices := range map[string]int{
		`{"requestedSchema":{"properties":{"a":{"type":"boolean"}}}}`:                        3,
		`{"requestedSchema":{"properties":{"a":{"enum":["x","y"]}}}}`:                        3,
		`{"requestedSchema":{"properties":{"a":{"type":"string"}}}}`:                         0,
		`{"requestedSchema":{"properties":{"a":{"enum":["x"],"enumNames":["X","Y"]}}}}`:      0,
		`{"requestedSchema":{"properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}}}}`: 0,
		`{`: 0,
	} {
		q, err := readQuestion(calls.Question{Params: json.RawMessage(params)})
		if (err == nil) != (choices > 0) || q != nil && len(q.choices) != choices {
			t.Errorf("%s: %+v, %v", params, q, err)
		}
	}
}

// TestUpdatesAreBounded: with 10,000 events a second for a minute, a viewer gets ten updates
// a second at most, and the last state; what is kept is bounded.
func TestUpdatesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{log: slog.New(slog.DiscardHandler), store: newStore()}
		defer s.store.close()
		changed := s.store.join()
		ctx, cancel := context.WithCancel(context.Background())
		var updates, last atomic.Int64
		over := make(chan struct{})
		go func() {
			defer close(over)
			follow(ctx, s.log, changed, func(map[string][32]byte) ([]byte, error) {
				s.store.ask(func(b *store) {
					if shown := b.state.View(Filter{}).Calls; len(shown) > 0 {
						last.Store(int64(shown[0].ID))
					}
				})
				return []byte("x"), nil
			}, func([]byte) error { updates.Add(1); return nil })
		}()
		const seconds, each = 60, 10_000 / 2 // a call begins and ends
		for range seconds * 20 {
			for range each / 20 {
				s.Watch(calls.Record{Began: time.Now(), Name: "x", Args: json.RawMessage(`{}`)}, func() {})(calls.Record{Name: "x", Outcome: "ok"}, json.RawMessage(`{}`))
			}
			fakeclock.Elapse(50 * time.Millisecond)
		}
		fakeclock.Elapse(time.Second)
		synctest.Wait()
		if n := updates.Load(); n < seconds || n > 10*(seconds+1)+1 {
			t.Errorf("%d updates in %d seconds", n, seconds+1)
		}
		if last.Load() != seconds*each {
			t.Errorf("the last update shows call %d of %d", last.Load(), seconds*each)
		}
		s.store.ask(func(b *store) {
			if v := b.state.View(Filter{}); len(v.Calls) != 100 {
				t.Errorf("%d calls are shown", len(v.Calls))
			}
		})
		cancel()
		<-over
	})
}

func TestTooManyViewers(t *testing.T) {
	o := newStore()
	defer o.close()
	var one chan struct{}
	for range maxViewers {
		if one = o.join(); one == nil {
			t.Fatal("there is room for more")
		}
	}
	if o.join() != nil {
		t.Error("there is no end of viewers")
	}
	o.leave(one)
	if o.join() == nil {
		t.Error("who leaves makes no room")
	}
}

// TestAfterTheEnd: calls end after the page has, and nothing more is done.
func TestAfterTheEnd(t *testing.T) {
	o := newStore()
	o.close()
	done := false
	for range 2 * maxUnread {
		o.tell(func(*store) { done = true })
	}
	o.ask(func(*store) { done = true })
	if done || o.join() != nil {
		t.Error("something was done with a book that is nobody's")
	}
}

// TestNothingIsDoneAfterTheEnd: nobody is told that something was done which wasn't.
func TestNothingIsDoneAfterTheEnd(t *testing.T) {
	s := &Server{store: newStore(), log: slog.New(slog.DiscardHandler)}
	s.store.ask(func(b *store) { b.questions["q"] = &question{answer: make(chan json.RawMessage, 1)} })
	s.store.close()
	for _, do := range []string{"answer", "stop", "pause-client", "resume-client", "pause-tab", "resume-tab"} {
		if problem := s.act(t.Context(), do, "q", url.Values{"answer": {decline}}); problem != ending {
			t.Errorf("%s: %q", do, problem)
		}
	}
	if now := s.paused(); len(now.sessions)+len(now.tabs) > 0 {
		t.Errorf("paused: %+v", now)
	}
}

// The page and all that it needs is small.
func TestThePageIsSmall(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for _, name := range []string{"live.html", "live.css", "live.js", "watch.js"} {
		_, _ = z.Write(Asset(name))
	}
	_ = z.Close()
	if packed.Len() > 40<<10 {
		t.Errorf("%d bytes compressed", packed.Len())
	}
}

func TestACallByAPerson(t *testing.T) {
	v := serve(t)
	r := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{
		registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "pay", Doc: 1, FrameURL: "https://a.example/", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"},"s":{"type":"string"}}}`)}}},
		registry.FlushDue{},
	} {
		v.Apply(r.Step(e))
	}
	v.enter()
	const name = "webmcp_a_example_page0_pay"
	status, body, _ := v.send(http.MethodGet, v.Address()+"try?tool="+name, nil)
	fields := nonceField.FindStringSubmatch(body)
	if status != http.StatusOK || fields == nil || fields[1] != name || !strings.Contains(body, `name="arg.n"`) {
		t.Fatalf("%d %s", status, body)
	}
	form := url.Values{"do": {"call"}, "of": {name}, "nonce": {fields[2]}, "arg.n": {"four"}}
	form.Set("arg.s", "<\"typed\">\r\nin two lines")
	if status, body, _ := v.send(http.MethodPost, v.Address()+"do", form); status != http.StatusBadRequest || !strings.Contains(body, "must be a number") ||
		!strings.Contains(body, `name="arg.n" aria-invalid="true" autofocus value="four"`) || !strings.Contains(body, `name="arg.s">`+"\n&lt;&#34;typed&#34;&gt;\nin two lines</textarea>") {
		t.Errorf("%d %s", status, body)
	}
	form.Del("arg.s")
	form.Set("arg.n", "4")
	if status, _, h := v.send(http.MethodPost, v.Address()+"do", form); status != http.StatusSeeOther || !strings.HasPrefix(h.Get("Location"), v.auth.path+"?q=pay") {
		t.Errorf("%d %v", status, h)
	}
	if got := <-v.called; got != name+` {"n":4}` {
		t.Errorf("called %s", got)
	}
	v.Watch(calls.Record{Began: time.Now(), Name: "x", Args: json.RawMessage(`{"password":"hunter2"}`)}, func() {})
	if status, body, _ := v.send(http.MethodGet, v.Address()+"export.jsonl?outcome=running", nil); status != 200 || strings.Count(body, "\n") != 1 || strings.Contains(body, "hunter2") {
		t.Errorf("the export: %d %s", status, body)
	}
	v.Watch(calls.Record{Began: time.Now(), Name: "x"}, func() {})(calls.Record{Began: time.Now(), Name: "x", Outcome: "ok", Args: json.RawMessage(`{"password":"hunter2"}`)}, json.RawMessage(`{"content":[]}`))
	if status, body, h := v.send(http.MethodGet, v.Address()+"export.har", nil); status != 200 || strings.Count(body, `"startedDateTime"`) != 1 || !strings.Contains(body, `"version":"1.2.3"`) || strings.Contains(body, "hunter2") || !strings.Contains(h.Get("Content-Disposition"), ".har") {
		t.Errorf("the archive: %d %s", status, body)
	}
	if status, _, _ := v.send(http.MethodGet, v.Address()+"try?tool=nothing", nil); status != http.StatusNotFound {
		t.Errorf("a tool that isn't there: %d", status)
	}
	v.begins <- func() { // calls 3, 4 and 5; whoever makes one takes no viewer's place
		for _, by := range [][2]string{{"stdio-1", `{"n":4}`}, {"person-1", `{"n":5}`}} {
			v.Watch(calls.Record{Began: time.Now(), Session: by[0], Name: name, Args: json.RawMessage(by[1])}, func() {})
		}
		for range maxViewers {
			changed := v.store.join()
			defer v.store.leave(changed)
			if changed == nil {
				t.Error("there is no place for a viewer")
			}
		}
		v.Watch(calls.Record{Began: time.Now(), Session: "person-1", Name: name, Args: json.RawMessage(`{"n":4}`)}, func() {})
	}
	if status, _, h := v.send(http.MethodPost, v.Address()+"do", form); status != http.StatusSeeOther || h.Get("Location") != v.auth.path+"?call=5&q=pay" {
		t.Errorf("a call leads to its details: %d %v", status, h)
	}
}

func BenchmarkWatch(b *testing.B) {
	s := &Server{store: newStore()}
	defer s.store.close()
	s.store.join()
	r := calls.Record{Began: time.Now(), Name: "x", Args: json.RawMessage(`{"a":1}`)}
	answer := json.RawMessage(`{"content":[{"type":"text","text":"hello"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		s.Watch(r, func() {})(r, answer)
	}
}

// TestAllOfAQuestionIsShown: the form shows each part of a question.
func TestAllOfAQuestionIsShown(t *testing.T) {
	about := Action{Tab: 4711, Args: []Member{{Name: "anarg", Value: strings.Repeat("value ", 200)}}, Besides: []Member{{Value: "besides", More: 4712}}, Why: []string{"becauseof"}}
	want := []string{"4711", "anarg", "(1200 characters)", strings.Repeat("value ", 200), "besides", "4712", "becauseof"}
	fields := reflect.ValueOf(&about).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i).Addr().Interface().(type) {
		case *string:
			*f = fmt.Sprintf("field%d<b>", i)
		case *Member:
			*f = Member{Value: fmt.Sprintf("field%d<b>", i), More: 5000 + i}
			want = append(want, fmt.Sprintf("(%d more characters", 5000+i))
		default:
			continue
		}
		want = append(want, fmt.Sprintf("field%d&lt;b&gt;", i))
	}
	var html strings.Builder
	if err := Render(&html, "questions", Page{View: NewState().View(Filter{}), Questions: []Question{{ID: "x", About: &about}}}); err != nil {
		t.Fatal(err)
	}
	for _, part := range want {
		if !strings.Contains(html.String(), part) {
			t.Errorf("there is no %s in %s", part, &html)
		}
	}
}
