package cdptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"webmcphub/cdpclient"
)

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

// lookForWebMCP asks the page what the hub asks.
func (s *stage) lookForWebMCP() {
	s.post(cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{
		Expression: "({loaded: document.readyState === 'complete', webmcp: 'modelContext' in document})", ReturnByValue: true})
	s.until("page1", cdpclient.RuntimeEvaluate)
}

// awaitPromise waits for a promise of the page that never settles.
func (s *stage) awaitPromise() { s.awaitPromiseIn("") }

// awaitPromiseIn does it in an execution context.
func (s *stage) awaitPromiseIn(context string) {
	s.t.Helper()
	params := obj{"expression": "new Promise(() => {})", "awaitPromise": true}
	if context != "" {
		params["uniqueContextId"] = context
	}
	s.post(cdpclient.RuntimeEvaluate, params)
	if err := s.conn.Call(s.t.Context(), s.page, "Runtime.getIsolateId", nil, nil); err != nil { // comes after it
		s.t.Fatal(err)
	}
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
	if err := s.try(js); err != nil {
		s.t.Fatalf("%s: %v", js, err)
	}
}

func (s *stage) try(js string) error {
	var r cdpclient.EvaluateResult
	err := s.conn.Call(s.t.Context(), s.page, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: js, UserGesture: true, AwaitPromise: true}, &r)
	if err == nil && r.ExceptionDetails != nil {
		err = fmt.Errorf("%+v", r.ExceptionDetails.Exception)
	}
	return err
}

// Actions. Each is a script in a real page.

// newTab opens an address in a new tab.
func (s *stage) newTab(path string) {
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

// open makes a tab and navigates there when all is quiet.
func (s *stage) open(path string) {
	s.newTab("/blank")
	s.until("page1", cdpclient.RuntimeRunIfWaitingForDebugger)
	s.untilLoaded("/blank")
	s.log.forget()
	s.navigate(path)
}

// untilLoaded is for a page whose load event may have come before us.
func (s *stage) untilLoaded(path string) {
	s.t.Helper()
	if s.fake != nil {
		s.until("page1", "load")
	} else {
		for {
			err := s.try(`new Promise(done => {
				const look = () => location.pathname == "` + path + `" && performance.getEntriesByType("navigation")[0]?.loadEventEnd > 0
					? done() : setTimeout(look, 5);
				look();
			})`)
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), "context was destroyed") {
				s.t.Fatal(err)
			}
		}
	}
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
	site := Site{Slow: u.Query().Has("slow")}
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

// nest adds an iframe inside the newest one.
func (s *stage) nest(address string) {
	if s.serve(address); s.fake != nil {
		s.kid.AddFrame(address)
		return
	}
	s.script("f.contentWindow.postMessage('" + address + "','*');0")
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
		case "french":
			return obj{"é": "ü"}, nil
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
