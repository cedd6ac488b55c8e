package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// pageHTML is the page of all benchmarks. It registers an echoing tool called
// echo and as many others as its address asks for: /?tools=9. At /mcpb it has
// @mcp-b/global for want of Chrome's own WebMCP.
const pageHTML = `<!doctype html><title>bench</title>%s<script>
const there = new Map();
const now = () => performance.timeOrigin + performance.now();
const schema = {type: "object", properties: {text: {type: "string", description: "what to say"}}, required: ["text"]};
function add(name) {
	const stop = new AbortController();
	there.set(name, stop);
	return document.modelContext.registerTool({
		name, description: "Says again what it is told.", inputSchema: schema,
		execute: async ({text}) => ({content: [{type: "text", text}]}),
	}, {signal: stop.signal});
}
function remove(name) { there.get(name).abort(); there.delete(name); }
async function storm(toggles, wait) {
	for (let i = 0; i < toggles; i++) {
		const name = "t" + i %% 9;
		if (there.has(name)) remove(name); else { const added = add(name); if (wait) await added; }
		if (wait) await null;
	}
	return now();
}
const begun = now();
add("echo");
for (let i = 0; i < new URLSearchParams(location.search).get("tools"); i++) add("t" + i);
const registered = now();
</script>`

// browser is a headless Chromium with remote debugging, and the server of its pages.
type browser struct {
	chrome   *launch.Chrome
	endpoint string // the browser's websocket
	url      string // the same over http
	pages    *httptest.Server
}

func startBrowser(b testing.TB) *browser {
	b.Helper()
	return startBrowserWith(b,
		// Tabs in the background are not to be slower than the one in front.
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows")
}

func startBrowserWith(b testing.TB, args ...string) *browser {
	b.Helper()
	if _, err := launch.Find(""); err != nil {
		b.Skip(err)
	}
	chrome, err := launch.Start(context.Background(), launch.Options{Headless: true, Args: append(args,
		"--remote-debugging-port=0", "--disable-gpu")})
	if err != nil {
		b.Fatal(err)
	}
	pipe := cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})
	endpoint, err := cdpclient.ActivePortURL(chrome.UserDataDir)
	if err != nil {
		b.Fatal(err)
	}
	host := strings.Split(strings.TrimPrefix(endpoint, "ws://"), "/")[0]
	c := &browser{chrome: chrome, endpoint: endpoint, url: "http://" + host, pages: httptest.NewServer(http.HandlerFunc(servePage))}
	b.Cleanup(func() {
		pipe.Close()
		chrome.Close()
		c.pages.Close()
	})
	return c
}

// mcpbRuntime is there after npm ci in e2e/.
const mcpbRuntime = "../e2e/node_modules/@mcp-b/global/dist/index.iife.js"

func servePage(w http.ResponseWriter, r *http.Request) {
	// An isolated page's clock is exact to 5 µs, others' to 100 µs.
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	runtime := ""
	switch r.URL.Path {
	case "/runtime.js":
		http.ServeFile(w, r, mcpbRuntime)
		return
	case "/mcpb":
		runtime = `<script src="/runtime.js"></script>`
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, pageHTML, runtime)
}

// address of a page that registers echo and n other tools.
func (c *browser) address(n int) string { return fmt.Sprintf("%s/?tools=%d", c.pages.URL, n) }

// bare is a CDP client with nothing in it: one websocket, one goroutine.
type bare struct {
	ws    *websocket.Conn
	id    int
	early map[string][]byte // replies that came before the one waited for
}

// tab is a page and the bare client's session on it.
type tab struct{ target, session string }

// dial connects a bare client and closes the tab that a browser starts with.
func (c *browser) dial(b testing.TB) *bare {
	b.Helper()
	dialer := websocket.Dialer{ReadBufferSize: 64 << 10, WriteBufferSize: 64 << 10}
	ws, _, err := dialer.Dial(c.endpoint, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ws.Close() })
	return &bare{ws: ws, early: map[string][]byte{}}
}

// post sends a command and gives its id.
func (d *bare) post(b testing.TB, session, method, params string) int {
	d.id++
	at := ""
	if session != "" {
		at = `"sessionId":"` + session + `",`
	}
	msg := fmt.Appendf(nil, `{"id":%d,%s"method":%q,"params":%s}`, d.id, at, method, params)
	if err := d.ws.WriteMessage(websocket.TextMessage, msg); err != nil {
		b.Fatalf("writing to Chrome: %v", err)
	}
	return d.id
}

// read gives the next message.
func (d *bare) read(b testing.TB) []byte {
	_, msg, err := d.ws.ReadMessage()
	if err != nil {
		b.Fatalf("reading from Chrome: %v", err)
	}
	return msg
}

// until reads until a message begins so.
func (d *bare) until(b testing.TB, prefix string) []byte {
	if err := d.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		b.Fatal(err)
	}
	for {
		if msg := d.read(b); bytes.HasPrefix(msg, []byte(prefix)) {
			return msg
		}
	}
}

// raw waits for the reply to command id. Pages answer in any order.
func (d *bare) raw(b testing.TB, id int) []byte {
	mine := fmt.Sprintf(`{"id":%d,`, id)
	if msg := d.early[mine]; msg != nil {
		delete(d.early, mine)
		return msg
	}
	for {
		msg := d.until(b, `{"id":`)
		if bytes.HasPrefix(msg, []byte(mine)) {
			return msg
		}
		head, _, _ := bytes.Cut(msg, []byte(","))
		d.early[string(head)+","] = msg
	}
}

// reply waits for the reply to command id and decodes its result.
func (d *bare) reply(b testing.TB, id int, result any) {
	b.Helper()
	msg := d.raw(b, id)
	var r struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(msg, &r); err != nil || r.Error != nil {
		b.Fatalf("Chrome answered %s", msg)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result, result); err != nil {
			b.Fatal(err)
		}
	}
}

func (d *bare) command(b testing.TB, session, method, params string, result any) {
	b.Helper()
	d.reply(b, d.post(b, session, method, params), result)
}

// closeAll closes every page, which a Chrome without a window survives.
func (d *bare) closeAll(b testing.TB) {
	var r struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	d.command(b, "", "Target.getTargets", `{}`, &r)
	for _, t := range r.TargetInfos {
		if t.Type == "page" {
			d.close(b, tab{target: t.TargetID})
		}
	}
}

// open opens a page of ours and waits until its last tool is registered.
func (d *bare) open(b testing.TB, url string) tab {
	b.Helper()
	t := d.attach(b, d.create(b, url))
	// A session can be there before the page's document is, or any at all.
	loaded := func() bool {
		id := d.postScript(b, t, `typeof registered == "number"`)
		return bytes.Contains(d.raw(b, id), []byte(`"value":true`))
	}
	for deadline := time.Now().Add(patience); !loaded(); {
		if time.Now().After(deadline) {
			b.Fatalf("%s did not load in %v", url, patience)
		}
	}
	return t
}

// create opens a page and gives its target id.
func (d *bare) create(b testing.TB, url string) string {
	var created struct{ TargetID string }
	d.command(b, "", "Target.createTarget", fmt.Sprintf(`{"url":%q}`, url), &created)
	return created.TargetID
}

func (d *bare) attach(b testing.TB, target string) tab {
	var attached struct{ SessionID string }
	d.command(b, "", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target), &attached)
	return tab{target, attached.SessionID}
}

func (d *bare) close(b testing.TB, t tab) {
	d.command(b, "", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, t.target), nil)
}

// evaluate runs a script in a page and gives its value's JSON.
func (d *bare) evaluate(b testing.TB, t tab, script string) string {
	b.Helper()
	return d.value(b, d.postScript(b, t, script))
}

func (d *bare) postScript(b testing.TB, t tab, script string) int {
	return d.post(b, t.session, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"awaitPromise":true,"returnByValue":true}`, script))
}

// value waits for a script's value.
func (d *bare) value(b testing.TB, id int) string {
	b.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	d.reply(b, id, &r)
	if r.ExceptionDetails != nil {
		b.Fatalf("the page threw %s", r.ExceptionDetails)
	}
	return string(r.Result.Value)
}

// pageTime decodes what the page's now() gave.
func pageTime(b testing.TB, value string) time.Time {
	var ms float64
	if err := json.Unmarshal([]byte(value), &ms); err != nil {
		b.Fatalf("%q is no time: %v", value, err)
	}
	return time.Unix(0, int64(ms*1e6))
}

// clockOffset says how far the page's clock is ahead of ours, exact to half
// the quickest round trip, which it gives too.
func (d *bare) clockOffset(b testing.TB, t tab) (ahead, exact time.Duration) {
	exact = time.Hour
	for range 200 {
		before := time.Now()
		page := pageTime(b, d.evaluate(b, t, `now()`))
		trip := time.Since(before)
		if trip/2 < exact {
			exact, ahead = trip/2, page.Sub(before.Add(trip/2))
		}
	}
	return ahead, exact
}

// invoke calls the page's echo by WebMCP.invokeTool and checks the echo. The
// session's WebMCP domain must be enabled.
func (d *bare) invoke(b testing.TB, t tab, text string) {
	id := d.postInvoke(b, t, text)
	invocation := invocationOf(b, d.until(b, fmt.Sprintf(`{"id":%d,`, id)))
	for {
		msg := d.until(b, responded)
		if invocationOf(b, msg) == invocation {
			checkEcho(b, msg, text)
			return
		}
	}
}

func (d *bare) postInvoke(b testing.TB, t tab, text string) int {
	return d.post(b, t.session, "WebMCP.invokeTool", fmt.Sprintf(`{"frameId":%q,"toolName":"echo","input":{"text":%q}}`, t.target, text))
}

// responded begins the event that ends an invocation.
const responded = `{"method":"WebMCP.toolResponded"`

func invocationOf(b testing.TB, msg []byte) string {
	_, rest, found := bytes.Cut(msg, []byte(`"invocationId":"`))
	id, _, ended := bytes.Cut(rest, []byte(`"`))
	if !found || !ended {
		b.Fatalf("Chrome answered %s", msg)
	}
	return string(id)
}

func checkEcho(b testing.TB, msg []byte, text string) {
	if !bytes.Contains(msg, []byte(`"text":"`+text+`"`)) {
		b.Fatalf("the page answered %s", msg)
	}
}
