package records_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/automation/records"

	"webmcphub/cdpclient"
)

func TestMain(m *testing.M) { Main(m) }

// A recording is a tab with its records.
type recording struct {
	*Tab
	*records.Records
	news chan struct{} // after an event
}

func record(tab *Tab, options ...func(*page.Options)) *recording {
	tab.T.Helper()
	r := &recording{Tab: tab, Records: records.NewRecords(records.Bounds{}, records.LastIDs{}), news: make(chan struct{}, 1)}
	tab.Attach(append(options, r.Records.SetOptions)...)
	tab.T.Cleanup(tab.Subscribe(func(cdpclient.Event) {
		select {
		case r.news <- struct{}{}:
		default:
		}
	}, records.Methods()...))
	if err := r.Records.Attach(tab.Ctx, tab.Page); err != nil {
		tab.T.Fatal(err)
	}
	return r
}

// until waits until what the records say fulfils a condition.
func (r *recording) until(what string, is func() bool) {
	r.T.Helper()
	for !is() {
		select {
		case <-r.news:
		case <-r.Ctx.Done():
			r.T.Fatalf("%s: never; there is:\n%s%s", what, r.messages(records.MessageQuery{Preserved: true}), r.requests(records.RequestQuery{Preserved: true}))
		}
	}
}

func (r *recording) messages(q records.MessageQuery) string {
	l, err := r.Messages(q)
	if err != nil {
		r.T.Fatal(err)
	}
	return l.Text()
}

func (r *recording) requests(q records.RequestQuery) string {
	l, err := r.Requests(q)
	if err != nil {
		r.T.Fatal(err)
	}
	return l.Text()
}

// find waits for the request whose address contains part, to be in a state.
func (r *recording) find(part string, states ...records.State) (found records.Request) {
	r.T.Helper()
	r.until(fmt.Sprint(part, states), func() bool {
		l, err := r.Requests(records.RequestQuery{URL: part, Preserved: true})
		if err != nil {
			r.T.Fatal(err)
		}
		for _, q := range l.Requests {
			for _, s := range states {
				if q.State == s {
					found = q
					return true
				}
			}
		}
		return false
	})
	return found
}

func (r *recording) detail(a records.RecordedRequest) *records.RequestDetail {
	r.T.Helper()
	d, err := r.Request(r.Ctx, a)
	if err != nil {
		r.T.Fatal(err)
	}
	return d
}

// TestReplay: what the page said before it was opened is there: Chromium repeats
// console messages and errors (the last 1,000 together), log entries and issues.
func TestReplay(t *testing.T) {
	t.Parallel()
	site := Serve(t, HTML(`<!doctype html><meta http-equiv=Content-Security-Policy content="img-src 'none'"><img src="/x.png"><link rel=stylesheet href="http://127.0.0.1:1/x.css"><script>
		for (let i = 0; i < 1500; i++) console.log("early", i)
		console.warn("object", {a: 1})
		setTimeout(() => { throw new TypeError("uncaught") })
	</script>`))
	tab := NewTab(t, site, "about:blank")
	tab.Attach()
	tab.Goto(site.URL("a", "/"))
	JS[int](tab, "new Promise(r => setTimeout(r, 1))")
	tab.Page.Close()
	r := record(tab)
	r.until("errors", func() bool {
		is := r.messages(records.MessageQuery{Types: []string{"error"}})
		return strings.Contains(is, "Uncaught TypeError: uncaught") && strings.Contains(is, "net::ERR_UNSAFE_PORT")
	})
	r.until("issues", func() bool {
		return strings.Contains(r.messages(records.MessageQuery{Types: []string{"issue"}}), "violatedDirective img-src")
	})
	l, err := r.Messages(records.MessageQuery{Types: []string{"log", "warn"}, Text: ""})
	if err != nil {
		t.Fatal(err)
	}
	all := l.Messages[len(l.Messages)-1]
	if all.Text != "object Object" { // no previews in what is repeated
		t.Errorf("the last one: %+v", all)
	}
	if n := l.Shown.Total + l.Lost; n < 900 || n > 1010 {
		t.Errorf("%d messages were repeated", n)
	}
	if is := r.requests(records.RequestQuery{}); !strings.Contains(is, "Recorded since") {
		t.Errorf("it isn't said that requests are unknown: %s", is)
	}
	tab.Goto(site.URL("a", "/?again"))
	r.find("/?again", records.Finished)
	if is := r.requests(records.RequestQuery{}); strings.Contains(is, "Recorded since") {
		t.Errorf("all requests are known: %s", is)
	}
}

// TestWorkerMessages: lists and details say which worker wrote a message, and it isn't counted as the page's own.
func TestWorkerMessages(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{"/": `<script>console.log("hi"); new Worker("/worker.js")</script>`,
		"/worker.js": `console.log("hi"); setTimeout(() => { throw new Error("thrown") })`})
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("a", "/"))
	r.until("the error", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "thrown") })
	for _, text := range []string{"[log] hi\n", "[log of worker /worker.js] hi\n", "[error of worker /worker.js] Uncaught Error: thrown\n"} {
		if is := r.messages(records.MessageQuery{}); !strings.Contains(is, text) {
			t.Errorf("%q isn't there: %s", text, is)
		}
	}
	l, err := r.Messages(records.MessageQuery{Text: "thrown"})
	if err != nil || len(l.Messages) != 1 {
		t.Fatalf("%d messages, %v", len(l.Messages), err)
	}
	if _, text, err := r.Message(l.Messages[0].ID); err != nil || !strings.Contains(text, "From: worker /worker.js\n") {
		t.Errorf("%v: %s", err, text)
	}
}

// a site with all that a network can do.
func network(site *Site) {
	site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/data.json", http.StatusFound)
		case "/data.json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"host":%q}`, r.Host)
		case "/echo":
			fmt.Fprint(w, "ok")
		case "/drop":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		case "/long":
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprint(w, strings.Repeat("äbc\n", 10_000))
		case "/huge":
			w.Header().Set("Content-Type", "text/plain")
			part := []byte(strings.Repeat("x", 1<<16))
			for range 10 << 4 {
				if _, err := w.Write(part); err != nil {
					break
				}
			}
		case "/endless":
			w.Header().Set("Content-Type", "text/plain")
			part := []byte(strings.Repeat("x", 1<<16))
			for range 1 << 14 { // a gigabyte
				if _, err := w.Write(part); err != nil {
					break
				}
			}
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 7\nevent: tick\ndata: one\n\ndata: two\n\n")
		case "/socket":
			c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				return true
			}
			defer func() { _ = c.Close() }()
			for {
				kind, data, err := c.ReadMessage()
				if err != nil || c.WriteMessage(kind, data) != nil {
					return true
				}
			}
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=report.bin")
			_, _ = w.Write(make([]byte, 100_000))
		default:
			return false
		}
		return true
	})
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{"/": `<!doctype html><title>one</title>`, "/two": `<!doctype html><title>two</title>`})
	network(site)
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("a", "/"))
	JS[any](r.Tab, `(async () => {
		await fetch("/redirect").then(r => r.text())
		await fetch("/missing").then(r => r.text())
		await fetch("/drop").catch(() => {})
		await fetch("/echo", {method: "POST", body: "hello " + "w".repeat(40)}).then(r => r.text())
		await fetch("/echo?large", {method: "POST", body: "L".repeat(100000)}).then(r => r.text())
		await fetch("/long").then(r => r.text())
		await fetch("/huge").then(r => r.text())
		await fetch("`+site.URL("b", "/data.json")+`").catch(() => {})
		const ws = new WebSocket("ws://" + location.host + "/socket")
		await new Promise(r => { ws.onopen = () => ws.send("hi"); ws.onmessage = r })
		const answer = new Promise(r => ws.onmessage = r)
		ws.send(new Uint8Array([1, 2, 3])); await answer
		ws.close(); await new Promise(r => ws.onclose = r)
		const es = new EventSource("/events")
		await new Promise(r => es.onmessage = r)
		es.close()
	})()`)

	data := r.find("/data.json", records.Finished)
	if d := r.detail(records.RecordedRequest{ID: data.ID}); d.ResponseBody.Text != `{"host":"`+strings.TrimPrefix(site.URL("a", ""), "http://")+`"}` || len(d.Redirects) != 1 || d.Redirects[0].Status != 302 {
		t.Errorf("redirected: %s", d.Text())
	}
	if q := r.find("/missing", records.Finished); q.Status != 404 {
		t.Errorf("missing: %+v", q)
	}
	if q := r.find("/drop", records.Failed); q.Failure != "net::ERR_EMPTY_RESPONSE" {
		t.Errorf("dropped: %+v", q)
	}
	if q := r.find(site.URL("b", "/data.json"), records.Blocked); !strings.Contains(q.Failure, "MissingAllowOriginHeader") {
		t.Errorf("of another origin: %+v", q)
	}
	if d := r.detail(records.RecordedRequest{ID: r.find("/echo", records.Finished).ID}); d.RequestBody.Text != "hello "+strings.Repeat("w", 40) || d.ResponseBody.Text != "ok" {
		t.Errorf("posted: %s", d.Text())
	}
	if d := r.detail(records.RecordedRequest{ID: r.find("?large", records.Finished).ID}); d.RequestBody.Total != 100_000 || d.RequestBody.Next == 0 {
		t.Errorf("posted much: %+v", d.RequestBody)
	}
	socket := r.find("/socket", records.Finished)
	if d := r.detail(records.RecordedRequest{ID: socket.ID}); d.Stream.Sent != 2 || d.Stream.Received != 2 || d.Stream.ReceivedBytes != 5 || !d.Stream.Closed || d.Stream.Last[0].Data != "hi" {
		t.Errorf("socket: %+v", d.Stream)
	}
	events := r.find("/events", records.Finished, records.Canceled)
	if d := r.detail(records.RecordedRequest{ID: events.ID}); d.Stream.Received != 2 || d.Stream.Last[0].Kind != "tick" || d.Stream.Last[0].ID != "7" {
		t.Errorf("events: %+v", d.Stream)
	}

	long := r.find("/long", records.Finished)
	second := r.detail(records.RecordedRequest{ID: long.ID, Offset: 49_000}).ResponseBody
	if second.Total != 50_000 || second.Next != 0 || !strings.HasSuffix(second.Text, "äbc\n") {
		t.Errorf("the end of a long one: %+v", second)
	}
	if b := r.detail(records.RecordedRequest{ID: r.find("/huge", records.Finished).ID}).ResponseBody; !strings.Contains(b.Missing, "10485760 bytes") {
		t.Errorf("a huge one: %+v", b)
	}

	// Bodies outlive their document, in the same process and in another.
	for _, host := range []string{"a", "b"} {
		r.Goto(site.URL(host, "/two"))
		if b := r.detail(records.RecordedRequest{ID: long.ID}).ResponseBody; !strings.HasPrefix(b.Text, "äbc\n") {
			t.Errorf("after a navigation to %s: %+v", host, b)
		}
	}
	if is := r.requests(records.RequestQuery{Preserved: true}); strings.Count(is, "Document ") != 3 || !strings.Contains(is, "GET /two [200]") {
		t.Error(is)
	}
}

// TestSavedBodies: bodies go to files whole.
func TestSavedBodies(t *testing.T) {
	t.Parallel()
	site := Serve(t, HTML("<p>one"))
	network(site)
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("a", "/"))
	JS[string](r.Tab, `fetch("/long", {method: "POST", body: "sent"}).then(r => r.text())`)
	dir := t.TempDir()
	d := r.detail(records.RecordedRequest{ID: r.find("/long", records.Finished).ID, RequestFile: "q", ResponseFile: "s", Save: func(_ context.Context, path, extension string, data []byte) (string, error) {
		name := filepath.Join(dir, path+extension)
		return name, os.WriteFile(name, data, 0o600)
	}})
	if is, err := os.ReadFile(filepath.Join(dir, "s.network-response")); err != nil || len(is) != 50_000 || d.ResponseBody.SavedTo == "" || d.ResponseBody.Text != "" {
		t.Errorf("%d bytes, %v: %+v", len(is), err, d.ResponseBody)
	}
	if is, err := os.ReadFile(filepath.Join(dir, "q.network-request")); err != nil || string(is) != "sent" {
		t.Errorf("%q, %v", is, err)
	}
}

// TestUnreadBodies: a response that no script reads doesn't hold anybody up, and a
// gigabyte is not taken into memory.
func TestUnreadBodies(t *testing.T) {
	t.Parallel()
	site := Serve(t, HTML("<p>one"))
	network(site)
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("a", "/"))
	JS[any](r.Tab, `(async () => { globalThis.kept = [await fetch("/endless"), await fetch("/long")] })()`)
	if b := r.detail(records.RecordedRequest{ID: r.find("/endless", records.Pending).ID}).ResponseBody; !strings.Contains(b.Missing, "not complete yet") {
		t.Errorf("endless: %+v", b)
	}
	long := r.find("/long", records.Pending, records.Finished)
	if b := r.detail(records.RecordedRequest{ID: long.ID}).ResponseBody; b.Missing == "" && b.Total != 50_000 {
		t.Errorf("unread: %+v", b)
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	site := Serve(t, HTML(`<a href=/file>x</a>`))
	network(site)
	r := record(NewTab(t, site, "about:blank"))
	r.Must("", "Page.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": t.TempDir()}, nil)
	r.Goto(site.URL("a", "/"))
	JS[any](r.Tab, `document.querySelector("a").click()`)
	r.until("a download", func() bool {
		d := r.Downloads(nil)
		return len(d) == 1 && d[0].State == "completed" && d[0].Received == 100_000 && d[0].Name == "report.bin"
	})
	if is := r.find("/file", records.Canceled); is.Failure != "became download=1" {
		t.Errorf("the navigation: %+v", is)
	}
}

// TestFrames: what frames of other processes say and ask for belongs to the page.
func TestFrames(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{"/frame": `<script>console.log("from the frame"); fetch("/data.json").then(r => r.text()).then(t => console.log("got", t))</script>`})
	site.Set("/", `<!doctype html><iframe src="`+site.URL("b", "/frame")+`"></iframe>`)
	network(site)
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("a", "/"))
	r.until("messages of the frame", func() bool {
		is := r.messages(records.MessageQuery{})
		return strings.Contains(is, "from the frame") && strings.Contains(is, "got {")
	})
	d := r.detail(records.RecordedRequest{ID: r.find("/data.json", records.Finished).ID})
	if !strings.Contains(d.ResponseBody.Text, "b.test") {
		t.Errorf("the frame's request: %s", d.Text())
	}
	if l, _ := r.Requests(records.RequestQuery{Types: []string{"document"}}); len(l.Requests) != 2 {
		t.Errorf("documents: %s", l.Text())
	}
}

// TestFlood: ten thousand lines at once are bounded, counted, and hold nobody up.
func TestFlood(t *testing.T) {
	t.Parallel()
	r := record(NewTab(t, Serve(t, HTML("<p>one")), "about:blank"))
	r.Goto(r.Site.URL("a", "/"))
	JS[any](r.Tab, `(() => { for (let i = 0; i < 10000; i++) console.log("line", i, {i}); console.log("last") })()`)
	r.until("the last line", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "[log] last") })
	l, err := r.Messages(records.MessageQuery{})
	if err != nil || l.Shown.Total > 1000 || l.Lost+l.Shown.Total+int(l.Dropped) < 10_001 || l.Lost > 9_010 {
		t.Errorf("%d of which %d were lost and %d dropped, %v", l.Shown.Total, l.Lost, l.Dropped, err)
	}
}

// TestRules: of origins that are kept out nothing is recorded, be they a frame's or the
// page's for a while, and no body is given.
// TestAddressesOfKeptOutPages: of a page or a script of a site that is kept out nothing but the origin is told,
// wherever its address stands: in issues, errors, stacks, initiators and headers.
func TestAddressesOfKeptOutPages(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{"/data.json": "{}"})
	a, b := site.URL("a", ""), site.URL("b", "")
	site.Set("/", `<!doctype html><a href="`+b+`/cb?code=S3CRET">on</a>`)
	site.Set("/cb", `<!doctype html><meta name=referrer content=unsafe-url><script>setTimeout(() => { location.href = "`+a+`/plain" })</script>`)
	site.Set("/plain", `<!doctype html><script src="`+b+`/lib.js?key=K3Y"></script><script>console.log("the page is done")</script>`)
	site.Set("/lib.js", `fetch("/data.json"); const fail = () => { throw new Error("failed at " + document.currentScript.src) }; console.log("caught"); fail()`)
	r := record(NewTab(t, site, "about:blank"), func(o *page.Options) { o.Permits = func(origin string) bool { return origin == a } })
	r.Goto(a + "/")
	r.Must("", "Runtime.evaluate", map[string]any{"expression": "document.querySelector('a').click()"}, nil)
	r.until("the last page", func() bool {
		is := r.messages(records.MessageQuery{Preserved: true})
		return strings.Contains(is, "the page is done") && strings.Contains(is, "Uncaught")
	})
	r.find("data.json", records.Finished)
	list, err := r.Messages(records.MessageQuery{Preserved: true, Stacks: true})
	if err != nil {
		t.Fatal(err)
	}
	said, errors := list.Text(), ""
	for _, m := range list.Messages {
		if said += m.Detail(nil); m.Source == "exception" {
			errors += m.Detail(nil)
		}
	}
	if strings.Contains(said, "K3Y") || !strings.Contains(errors, "at fail "+b+":1:") {
		t.Errorf("errors tell: %s", said)
	}
	requests, err := r.Requests(records.RequestQuery{Preserved: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range requests.Requests {
		if !strings.Contains(q.URL, "lib.js") { // what a page asks for is its own to know
			if d, err := r.Request(r.Ctx, records.RecordedRequest{ID: q.ID}); err == nil {
				if d.Leading(r.Redacted); strings.Contains(d.Sent.Initiator, "K3Y") {
					t.Errorf("begun by %s", d.Sent.Initiator)
				}
				d.ResponseBody = nil // what a page says is its own to know
				said += d.Text()
			} else {
				said += err.Error()
			}
		}
	}
	if strings.Contains(said, "S3CRET") || !strings.Contains(said, b) {
		t.Errorf("told: %s", said)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{"/frame": `<script>console.log("secret"); fetch("/data.json").then(r => r.text()).then(() => parent.postMessage("done", "*"))</script>`, "/plain": "<p>x"})
	b := site.URL("b", "")
	site.Set("/", `<!doctype html><script>onmessage = () => console.log("the frame is done")</script><iframe src="`+b+`/frame"></iframe>`)
	network(site)
	r := record(NewTab(t, site, "about:blank"), func(o *page.Options) { o.Permits = func(origin string) bool { return origin == site.URL("a", "") } })
	r.Goto(site.URL("a", "/"))
	r.until("the frame's end", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "the frame is done") })
	r.Goto(b + "/frame")
	r.Goto(site.URL("a", "/plain"))
	r.find("/plain", records.Finished)
	if is := r.messages(records.MessageQuery{Preserved: true}); strings.Contains(is, "secret") {
		t.Errorf("heard: %s", is)
	}
	l, err := r.Requests(records.RequestQuery{Preserved: true, URL: b})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range l.Requests {
		if strings.Contains(q.URL, "data.json") {
			t.Errorf("recorded: %+v", q)
		}
		if _, err := r.Request(r.Ctx, records.RecordedRequest{ID: q.ID}); err == nil || !strings.Contains(err.Error(), "kept out") {
			t.Errorf("reqid %d of %s: %v", q.ID, q.URL, err)
		}
	}
}
