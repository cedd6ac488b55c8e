package cdptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// The scenarios run over the fake and over a real Chrome. What the hub hears,
// session by session, must be the same.

// stage is one browser with one scenario on it.
type stage struct {
	t    *testing.T
	conn *cdpclient.Conn
	log  *recorder
	fake *Browser // nil for a real one
	base string   // "http://localhost:port"
	page cdpclient.SessionID
	main string // the page's main frame and target
	kid  *Frame // the fake's newest iframe
}

var scenarios = []struct {
	name string
	play func(s *stage)
}{
	{"load", func(s *stage) {
		s.open("/a?t=b,a")
		s.until("page1", "load")
		s.register("x")
		s.unregister("b")
		s.command(cdpclient.WebMCPEnable)
	}},
	{"navigate", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.navigate("/b?t=b")
		s.until("page1", "load")
		s.post(cdpclient.PageReload, nil)
		s.until("page1", "load")
		s.assign(s.base + "/c?t=c")
		s.until("page1", "load")
		s.assign(s.elsewhere("/d?t=d"))
		s.until("page1", "load")
	}},
	{"push state", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.pushState("/p")
		s.until("page1", "same document")
	}},
	{"bfcache", func(s *stage) {
		s.open("/a?t=b,a")
		s.until("page1", "load")
		s.assign(s.base + "/c?t=c")
		s.until("page1", "load")
		s.back(s.base + "/a?t=b,a")
		s.until("page1", "navigated /a?t=b,a BackForwardCacheRestore")
	}},
	{"iframe", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.addFrame(s.base + "/f?t=f")
		s.until("page1", "+f")
		s.registerInFrame("g")
		s.until("page1", "+g")
		s.navigateFrame(s.base + "/g?t=h")
		s.until("page1", "+h")
		s.removeFrame()
		s.until("page1", "frame detached")
	}},
	{"iframe before navigation", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.addFrame(s.base + "/f?t=f")
		s.until("page1", "+f")
		s.navigate("/b?t=b")
		s.until("page1", "load")
	}},
	{"foreign iframe", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.addFrame(s.elsewhere("/f?t=f"))
		s.until("iframe1", "load")
		s.removeFrame()
		s.until("page1", "detached iframe1")
	}},
	{"iframe changes process", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.addFrame(s.base + "/f?t=f")
		s.until("page1", "+f")
		s.navigateFrame(s.elsewhere("/g?t=g"))
		s.until("iframe1", "load")
		s.navigateFrame(s.base + "/h?t=h")
		s.until("page1", "+h")
	}},
	{"foreign iframe before navigation", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.addFrame(s.elsewhere("/f?t=f"))
		s.until("iframe1", "load")
		s.navigate("/b?t=b")
		s.until("page1", "load")
		s.sometime("page1", "detached iframe1")
		s.sometime("page1", "frame detached f2 remove")
	}},
	{"popup", func(s *stage) {
		s.open("/a")
		s.until("page1", "load")
		s.popup(s.base + "/p?t=p")
		s.until("page2", "load")
	}},
	{"close", func(s *stage) {
		s.open("/a?t=a")
		s.until("page1", "load")
		s.postTo("", cdpclient.TargetCloseTarget, obj{"targetId": s.main})
		s.until("browser", "destroyed")
		s.post(cdpclient.PageGetFrameTree, nil)
		s.until("page1", "Page.getFrameTree: gone")
	}},
	{"crash", func(s *stage) {
		s.open("/a?t=a,never")
		s.until("page1", "load")
		s.invoke("never", `{}`)
		s.until("page1", "invoked never")
		s.crash()
		s.until("page1", "crashed")
		s.navigate("/b?t=b")
		s.until("page1", "load")
	}},
	{"calls", func(s *stage) {
		s.open("/a?t=echo,throw,json,never")
		s.until("page1", "load")
		s.invoke("echo", `{"z":1,"a":{"c":2,"b":1}}`)
		s.until("page1", "responded")
		s.invoke("throw", `{}`)
		s.until("page1", "responded")
		s.invoke("json", `{}`)
		s.until("page1", "responded")
		s.invoke("nobody", `{}`)
		s.invoke("echo", `[]`)
		s.until("page1", "WebMCP.invokeTool: -32602")
		s.invoke("never", `{}`)
		s.until("page1", "invoked never")
		s.cancel()
		s.until("page1", "WebMCP.cancelInvocation")
	}},
	{"call that registers", func(s *stage) {
		s.open("/a?t=grow")
		s.until("page1", "load")
		s.invoke("grow", `{}`)
		s.until("page1", "responded")
	}},
	{"call and navigation", func(s *stage) {
		s.open("/a?t=never")
		s.until("page1", "load")
		s.invoke("never", `{}`)
		s.until("page1", "invoked")
		s.navigate("/b?t=b")
		s.until("page1", "load")
	}},
	{"call that navigates", func(s *stage) {
		s.log.dropLoads = true // comes before or after the second result
		s.open("/a?t=leave")
		s.until("page1", "load")
		s.invoke("leave", `{}`)
		s.until("page1", "responded i1 Completed []")
	}},
	{"call that navigates without a result", func(s *stage) {
		s.log.dropLoads = true
		s.open("/a?t=leave-silently")
		s.until("page1", "load")
		s.invoke("leave-silently", `{}`)
		s.until("page1", "responded")
		s.sometime("page1", "load")
	}},
	{"existing page", func(s *stage) {
		s.open("/a?t=b,a")
		s.until("page1", "load")
		s.addFrame(s.base + "/f?t=f")
		s.until("page1", "+f")
		s.again()
		s.until("page2", "WebMCP.enable")
	}},
}

func TestParity(t *testing.T) {
	real := newRealBrowser(t)
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			got := playFake(t, sc.play, false)
			if real == nil {
				t.Skip("only the fake: no real Chrome was found")
			}
			want := play(t, sc.play, nil, real.wire(t), real.base)
			if os.Getenv("PARITY_SHOW") != "" {
				t.Log(want)
			}
			// Chrome holds a new tab before or after its document is there.
			if got != want && playFake(t, sc.play, true) != want {
				t.Errorf("the fake says\n%s\nChrome says\n%s", got, want)
			}
		})
	}
}

func playFake(t *testing.T, script func(*stage), early bool) string {
	fake := New()
	defer fake.Die()
	fake.HoldEarly(early)
	return play(t, script, fake, fake.Connect(), "http://localhost:1")
}

// play gives what was heard.
func play(t *testing.T, script func(*stage), fake *Browser, wire cdpclient.Wire, base string) string {
	s := &stage{t: t, fake: fake, base: base, log: newRecorder(base)}
	ready := make(chan struct{})
	s.conn = cdpclient.NewConn(wire, func(m cdpclient.Message) { <-ready; s.hear("browser", m) })
	close(ready)
	script(s)
	for i, id := range s.log.pages() {
		name := fmt.Sprint("page", i+1)
		if !s.log.has("browser", "detached "+name) {
			s.postTo("", cdpclient.TargetCloseTarget, obj{"targetId": id})
			s.sometime("browser", "detached "+name)
			s.until("browser", "destroyed")
		}
	}
	_ = s.conn.Close()
	<-s.conn.Done()
	return s.log.String()
}

// hear records a message and prepares new sessions as the hub does.
func (s *stage) hear(who string, m cdpclient.Message) {
	if e, ok := m.(cdpclient.Event); ok && e.Method == cdpclient.TargetAttachedToTarget {
		var a cdpclient.AttachedToTarget
		_ = json.Unmarshal(e.Params, &a)
		if s.ignore(a.TargetInfo) {
			s.conn.Post(a.SessionID, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
			return
		}
		name := s.log.newSession(a)
		s.log.message(who, m)
		s.conn.Attach(a.SessionID, func(m cdpclient.Message) { s.hear(name, m) })
		s.prepare(a.SessionID, a.WaitingForDebugger)
		s.log.attached(name, a)
		return
	}
	s.log.message(who, m)
}

// ignore leaves out the tab that a browser starts with.
func (s *stage) ignore(i cdpclient.TargetInfo) bool {
	return i.Type == "page" && i.OpenerID == "" && !strings.HasPrefix(i.URL, s.base)
}

func (s *stage) prepare(id cdpclient.SessionID, waiting bool) {
	post := func(method string, params any) { s.postTo(id, method, params) }
	post(cdpclient.PageEnable, nil)
	post(cdpclient.PageGetFrameTree, nil)
	post(cdpclient.RuntimeEnable, nil)
	post(cdpclient.RuntimeAddBinding, cdpclient.AddBindingParams{Name: bindingName, ExecutionContextName: "w"})
	post(cdpclient.PageAddScriptToEvaluateOnNewDocument, cdpclient.AddScriptParams{Source: "0", WorldName: "w", RunImmediately: true})
	post(cdpclient.WebMCPEnable, nil)
	post(cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
		Filter: []cdpclient.TargetFilterEntry{{Type: "iframe"}}})
	if waiting {
		post(cdpclient.RuntimeRunIfWaitingForDebugger, nil)
	}
}

func (s *stage) postTo(id cdpclient.SessionID, method string, params any) {
	s.conn.Post(id, method, params, method)
}

func (s *stage) post(method string, params any) { s.postTo(s.page, method, params) }

func (s *stage) command(method string) {
	s.post(method, nil)
	s.until("page1", method)
}

// sometime waits for a line wherever it stands.
func (s *stage) sometime(who, text string) {
	s.t.Helper()
	s.log.mu.Lock()
	at := s.log.read[who]
	s.log.read[who] = 0
	s.log.mu.Unlock()
	s.log.until(s.t, who, text)
	s.log.mu.Lock()
	s.log.read[who] = max(at, s.log.read[who])
	s.log.mu.Unlock()
}

func (s *stage) until(who, text string) { s.t.Helper(); s.log.until(s.t, who, text) }

// script runs in the page's own world, unheard.
func (s *stage) script(js string) {
	s.t.Helper()
	var r cdpclient.EvaluateResult
	err := s.conn.Call(s.t.Context(), s.page, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: js, UserGesture: true}, &r)
	if err != nil || r.ExceptionDetails != nil {
		s.t.Fatalf("%s: %v %+v", js, err, r.ExceptionDetails)
	}
}

// Actions. Each is a script in a real page.

func (s *stage) open(path string) {
	filter := []cdpclient.TargetFilterEntry{{Type: "page"}}
	s.postTo("", cdpclient.TargetSetDiscoverTargets, cdpclient.SetDiscoverTargetsParams{Discover: true, Filter: filter})
	s.postTo("", cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true, Filter: filter})
	s.until("browser", cdpclient.TargetSetAutoAttach)
	s.serve(s.base + path)
	s.postTo("", cdpclient.TargetCreateTarget, obj{"url": s.base + path})
	s.until("browser", cdpclient.TargetCreateTarget)
	a := s.log.first()
	s.page, s.main = a.SessionID, a.TargetInfo.TargetID
}

func (s *stage) elsewhere(path string) string {
	return strings.Replace(s.base, "localhost", "other.localhost", 1) + path
}

// serve gives the fake the tools that an address names, as the server's script
// does for a real page.
func (s *stage) serve(address string) {
	if s.fake == nil {
		return
	}
	u, _ := url.Parse(address)
	var site Site
	for name := range strings.SplitSeq(u.Query().Get("t"), ",") {
		if name != "" {
			site.Tools = append(site.Tools, s.tool(name))
		}
	}
	s.fake.Serve(address, site)
}

func (s *stage) fakePage() *Page { return s.fake.Page(s.main) }

func (s *stage) register(name string) {
	if s.fake != nil {
		s.fakePage().Register(s.tool(name))
	} else {
		s.script("reg('" + name + "')")
	}
	s.until("page1", "+"+name)
}

func (s *stage) unregister(name string) {
	if s.fake != nil {
		s.fakePage().Unregister(name)
	} else {
		s.script("ac['" + name + "'].abort()")
	}
	s.until("page1", "-"+name)
}

func (s *stage) navigate(path string) {
	s.serve(s.base + path)
	s.post(cdpclient.PageNavigate, obj{"url": s.base + path})
}

func (s *stage) assign(address string) {
	if s.serve(address); s.fake != nil {
		s.fakePage().NavigateByScript(address)
		return
	}
	s.script("location.href='" + address + "'")
}

func (s *stage) back(address string) {
	if s.fake != nil {
		s.fakePage().BackForward(address)
		return
	}
	s.script("history.back()")
}

func (s *stage) pushState(path string) {
	if s.fake != nil {
		s.fakePage().PushState(s.base + path)
		return
	}
	s.script("history.pushState({},'','" + path + "')")
}

func (s *stage) addFrame(address string) {
	if s.serve(address); s.fake != nil {
		s.kid = s.fakePage().AddFrame(address)
		return
	}
	s.script("f=document.createElement('iframe');f.allow='tools';f.src='" + address + "';document.body.append(f);0")
}

func (s *stage) navigateFrame(address string) {
	if s.serve(address); s.fake != nil {
		s.kid.Navigate(address)
		return
	}
	s.script("f.src='" + address + "';0")
}

func (s *stage) registerInFrame(name string) {
	if s.fake != nil {
		s.kid.Register(s.tool(name))
		return
	}
	s.script("f.contentWindow.reg('" + name + "');0")
}

func (s *stage) removeFrame() {
	if s.fake != nil {
		s.kid.Remove()
		return
	}
	s.script("f.remove();0")
}

func (s *stage) popup(address string) {
	if s.serve(address); s.fake != nil {
		s.fakePage().OpenPopup(address)
		return
	}
	s.script("w=window.open('" + address + "');0")
}

func (s *stage) crash() {
	if s.fake != nil {
		s.fakePage().Crash()
		return
	}
	s.conn.Post(s.page, "Page.crash", nil, nil)
}

func (s *stage) invoke(tool, input string) {
	s.post(cdpclient.WebMCPInvokeTool, json.RawMessage(fmt.Sprintf(`{"frameId":%q,"toolName":%q,"input":%s}`, s.main, tool, input)))
}

func (s *stage) cancel() {
	s.post(cdpclient.WebMCPCancelInvocation, obj{"invocationId": s.log.newest("invocation")})
}

// again attaches a second session to the page that is there.
func (s *stage) again() {
	var r cdpclient.SessionParams
	err := s.conn.Call(s.t.Context(), "", "Target.attachToTarget", obj{"targetId": s.main, "flatten": true}, &r)
	if err != nil {
		s.t.Fatal(err)
	}
}

// tool is the fake's side of reg(name) below.
func (s *stage) tool(name string) Tool {
	yes := true
	t := Tool{Name: name, Description: "d", Schema: json.RawMessage(`{"type":"object"}`), ReadOnly: &yes}
	t.Execute = func(ctx context.Context, args json.RawMessage) (any, error) {
		switch name {
		case "echo":
			return args, nil
		case "throw":
			return nil, errors.New("boom")
		case "json":
			return `{"x":1}`, nil
		case "never":
			<-ctx.Done()
			return Never, nil
		case "grow":
			p := s.fakePage()
			p.Register(s.tool("n1"), s.tool("n2"))
			p.Unregister("grow")
			return "v", nil
		case "leave", "leave-silently":
			s.serve(s.base + "/b?t=b")
			NavigateFromTool(ctx, s.base+"/b?t=b")
			if name == "leave" {
				return "v", nil
			}
			return Never, nil
		}
		return name, nil
	}
	return t
}

const pageScript = `
const ac = {};
const behaviour = {
	echo: a => a,
	throw: () => { throw new Error("boom") },
	json: () => '{"x":1}',
	never: () => new Promise(() => {}),
	grow: () => { reg("n1"); reg("n2"); ac.grow.abort(); return "v" },
	leave: () => { location.href = "/b?t=b"; return "v" },
	"leave-silently": () => { location.href = "/b?t=b"; return new Promise(() => {}) },
};
function reg(name) {
	ac[name] = new AbortController();
	document.modelContext.registerTool({name, description: "d", inputSchema: {type: "object"}, annotations: {readOnlyHint: true},
		execute: behaviour[name] ?? (() => name)}, {signal: ac[name].signal}).catch(() => {});
}
for (const n of (new URLSearchParams(location.search).get("t") ?? "").split(",")) if (n) reg(n);
`

// realBrowser is a Chrome that listens, and a server for it.
type realBrowser struct {
	base, ws string
}

func newRealBrowser(t *testing.T) *realBrowser {
	if testing.Short() {
		return nil
	}
	if _, err := cdpclient.FindChrome(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		return nil
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><body><script>%s</script>", r.URL.Path, pageScript)
	}))
	t.Cleanup(srv.Close)
	chrome, err := cdpclient.Launch(t.Context(), cdpclient.LaunchOptions{Headless: true, Args: []string{
		"--disable-gpu", "--remote-debugging-port=0", "--site-per-process", "--host-resolver-rules=MAP * 127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chrome.Close() })
	r := &realBrowser{base: "http://localhost" + srv.URL[strings.LastIndex(srv.URL, ":"):]}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 500 {
		if r.ws, err = cdpclient.ActivePortURL(chrome.UserDataDir); err == nil {
			return r
		}
		<-tick.C
	}
	t.Fatal(err)
	return nil
}

func (r *realBrowser) wire(t *testing.T) cdpclient.Wire {
	w, err := cdpclient.DialWebSocket(t.Context(), r.ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// recorder turns messages into lines without ids.
type recorder struct {
	mu     sync.Mutex
	base   string
	lines  map[string][]string
	read   map[string]int // how far until has come
	names  map[string]string
	counts map[string]int
	last   map[string]string

	dropLoads bool // leave the load events out of the report
	sessions  []cdpclient.AttachedToTarget
	more      chan struct{}
}

func newRecorder(base string) *recorder {
	return &recorder{base: base, lines: map[string][]string{}, read: map[string]int{}, names: map[string]string{},
		counts: map[string]int{}, last: map[string]string{}, more: make(chan struct{}, 1)}
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	var who []string
	for w := range r.lines {
		who = append(who, w)
	}
	slices.Sort(who)
	for _, w := range who {
		if r.dropLoads {
			r.lines[w] = slices.DeleteFunc(r.lines[w], func(l string) bool { return l == "load" })
		}
		fmt.Fprintf(&b, "%s\n    %s\n", w, strings.Join(r.lines[w], "\n    "))
	}
	return b.String()
}

// name numbers ids of a kind in order of appearance.
func (r *recorder) name(kind, id string) string {
	if id == "" {
		return ""
	}
	if r.names[kind+id] == "" {
		r.counts[kind]++
		r.names[kind+id] = fmt.Sprintf("%c%d", kind[0], r.counts[kind])
		r.last[kind] = id
	}
	return r.names[kind+id]
}

func (r *recorder) newest(kind string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[kind]
}

func (r *recorder) newSession(a cdpclient.AttachedToTarget) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[a.TargetInfo.Type]++
	name := fmt.Sprint(a.TargetInfo.Type, r.counts[a.TargetInfo.Type])
	r.names["session"+string(a.SessionID)] = name
	return name
}

func (r *recorder) attached(_ string, a cdpclient.AttachedToTarget) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = append(r.sessions, a)
}

func (r *recorder) first() cdpclient.AttachedToTarget {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions[0]
}

// pages lists the tabs' target ids in order of attachment.
func (r *recorder) pages() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for _, a := range r.sessions {
		if a.TargetInfo.Type == "page" {
			ids = append(ids, a.TargetInfo.TargetID)
		}
	}
	return ids
}

func (r *recorder) has(who, text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.lines[who], func(l string) bool { return strings.HasPrefix(l, text) })
}

// until waits for a line that starts with text, after the last one waited for.
func (r *recorder) until(t *testing.T, who, text string) {
	t.Helper()
	late := time.NewTimer(15 * time.Second)
	defer late.Stop()
	for {
		r.mu.Lock()
		for i := r.read[who]; i < len(r.lines[who]); i++ {
			if strings.HasPrefix(r.lines[who][i], text) {
				r.read[who] = i + 1
				r.mu.Unlock()
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-r.more:
		case <-late.C:
			t.Fatalf("%s never heard %q:\n%s", who, text, r)
		}
	}
}

func (r *recorder) message(who string, m cdpclient.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := ""
	switch m := m.(type) {
	case cdpclient.Event:
		line = r.event(who, m)
	case cdpclient.Reply:
		line = r.reply(m)
	}
	if line == "" {
		return
	}
	line = strings.ReplaceAll(line, strings.Replace(r.base, "localhost", "other.localhost", 1), "X")
	r.lines[who] = append(r.lines[who], strings.ReplaceAll(line, r.base, ""))
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *recorder) reply(m cdpclient.Reply) string {
	line := m.Tag.(string)
	if m.Session != "" && line == cdpclient.TargetSetAutoAttach && m.Err == nil {
		return "" // the browser process answers, in its own time
	}
	var e *cdpclient.Error
	switch {
	case errors.As(m.Err, &e):
		return fmt.Sprint(line, ": ", e.Code)
	case m.Err != nil:
		return line + ": gone"
	}
	if line == cdpclient.PageGetFrameTree {
		var t cdpclient.GetFrameTreeResult
		_ = json.Unmarshal(m.Result, &t)
		line += r.tree(t.FrameTree)
	}
	return line
}

func (r *recorder) tree(t cdpclient.FrameTree) string {
	s := fmt.Sprintf(" [%s %s", r.name("frame", t.Frame.ID), t.Frame.URL)
	for _, k := range t.ChildFrames {
		s += r.tree(k)
	}
	return s + "]"
}

// event gives "" for what the hub does not listen to, and for
// targetInfoChanged, which comes in Chrome's own time.
func (r *recorder) event(who string, e cdpclient.Event) string {
	var p struct {
		Frame        cdpclient.Frame
		FrameID      string
		Reason, Type string
		Status       string
		URL          string
		Output       json.RawMessage
		ErrorText    string
		Exception    *cdpclient.RemoteObject
		Input        string
		ToolName     string
		InvocationID string
		Tools        []cdpclient.Tool
		TargetID     string
		SessionID    cdpclient.SessionID
		TargetInfo   cdpclient.TargetInfo
		Waiting      bool `json:"waitingForDebugger"`
		Context      cdpclient.ExecutionContext
		UniqueID     string `json:"executionContextUniqueId"`
	}
	_ = json.Unmarshal(e.Params, &p)
	frame := r.name("frame", p.FrameID)
	switch e.Method {
	case cdpclient.PageFrameNavigated:
		return fmt.Sprintf("navigated %s %s %s loader %s", p.Frame.URL, p.Type, r.name("frame", p.Frame.ID), r.name("loader"+who, p.Frame.LoaderID))
	case cdpclient.PageFrameAttached:
		return "frame attached " + frame
	case cdpclient.PageFrameDetached:
		return "frame detached " + frame + " " + p.Reason
	case cdpclient.PageFrameRequestedNavigation:
		return fmt.Sprint("requested ", p.URL, " ", frame, " ", p.Reason)
	case cdpclient.PageNavigatedWithinDocument:
		return "same document " + p.URL
	case cdpclient.PageLoadEventFired:
		return "load"
	case cdpclient.RuntimeExecutionContextsCleared:
		return "cleared"
	case cdpclient.RuntimeExecutionContextCreated:
		return fmt.Sprintf("context %s %q %s %s", r.name("context"+who, p.Context.UniqueID), p.Context.Name, p.Context.AuxData.Type, r.name("frame", p.Context.AuxData.FrameID))
	case cdpclient.RuntimeExecutionContextDestroyed:
		return "context gone " + r.name("context"+who, p.UniqueID)
	case cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved:
		var names []string
		for _, t := range p.Tools {
			names = append(names, t.Name)
			frame = r.name("frame", t.FrameID)
		}
		sign := "+"
		if e.Method == cdpclient.WebMCPToolsRemoved {
			sign = "-"
		}
		return sign + strings.Join(names, ",") + " " + frame
	case cdpclient.WebMCPToolInvoked:
		return fmt.Sprint("invoked ", p.ToolName, " ", frame, " ", r.name("invocation", p.InvocationID), " ", p.Input)
	case cdpclient.WebMCPToolResponded:
		s := fmt.Sprint("responded ", r.name("invocation", p.InvocationID), " ", p.Status, " ", string(p.Output), p.ErrorText)
		if p.Exception != nil {
			s, _, _ = strings.Cut(s+p.Exception.Description, "\n")
		}
		return s
	case cdpclient.TargetAttachedToTarget:
		return fmt.Sprint("attached ", r.names["session"+string(p.SessionID)], " ", p.TargetInfo.URL, " waiting=", p.Waiting)
	case cdpclient.TargetDetachedFromTarget:
		return "detached " + r.names["session"+string(p.SessionID)]
	case cdpclient.TargetTargetDestroyed:
		return "destroyed"
	case cdpclient.TargetTargetCrashed:
		return "crashed target"
	case cdpclient.InspectorTargetCrashed:
		return "crashed"
	case cdpclient.InspectorReloadAfterCrash:
		return "reloaded after crash"
	case cdpclient.InspectorDetached:
		return "inspector detached"
	}
	return ""
}
