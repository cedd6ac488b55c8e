package cdptest

import (
	"encoding/json"
	"slices"

	"webmcphub/cdpclient"
)

// command carries out one method and gives its result. It may emit events
// before the reply, and return a function to run after it.
type command func(s *session, params json.RawMessage) (result any, after func(), err error)

// rendererCommands need a renderer that answers.
var rendererCommands, browserCommands map[string]command

func init() {
	rendererCommands = map[string]command{
		cdpclient.PageEnable:                           func(s *session, _ json.RawMessage) (any, func(), error) { s.page = true; return nil, nil, nil },
		"Page.disable":                                 func(s *session, _ json.RawMessage) (any, func(), error) { s.page = false; return nil, nil, nil },
		cdpclient.PageGetFrameTree:                     getFrameTree,
		cdpclient.PageAddScriptToEvaluateOnNewDocument: addScript,
		cdpclient.RuntimeEnable:                        runtimeEnable,
		cdpclient.RuntimeAddBinding:                    addBinding,
		cdpclient.RuntimeCallFunctionOn:                runScript,
		cdpclient.RuntimeEvaluate:                      runScript,
		cdpclient.RuntimeReleaseObject:                 nothing,
		cdpclient.WebMCPEnable:                         webmcpEnable,
		cdpclient.WebMCPDisable:                        webmcpDisable,
		cdpclient.WebMCPInvokeTool:                     invokeTool,
		cdpclient.WebMCPCancelInvocation:               cancelInvocation,
		"Page.setLifecycleEventsEnabled":               nothing,
		"Network.enable":                               nothing,
		"Log.enable":                                   nothing,
		"Inspector.enable":                             nothing,
	}
	browserCommands = map[string]command{
		cdpclient.BrowserGetVersion:              getVersion,
		cdpclient.BrowserClose:                   browserClose,
		cdpclient.TargetSetDiscoverTargets:       setDiscoverTargets,
		cdpclient.TargetSetAutoAttach:            setAutoAttach,
		cdpclient.TargetGetTargets:               getTargets,
		cdpclient.TargetCreateTarget:             createTarget,
		cdpclient.TargetCloseTarget:              closeTarget,
		cdpclient.TargetActivateTarget:           nothing,
		cdpclient.TargetDetachFromTarget:         detachFromTarget,
		"Target.attachToTarget":                  attachToTarget,
		cdpclient.PageNavigate:                   pageNavigate,
		cdpclient.PageReload:                     pageReload,
		cdpclient.PageHandleJavaScriptDialog:     handleDialog,
		"Page.bringToFront":                      nothing,
		"Page.close":                             pageClose,
		cdpclient.RuntimeRunIfWaitingForDebugger: nothing, // dispatch does it
		cdpclient.RuntimeTerminateExecution:      terminateExecution,
	}
}

// dispatch carries out a command with the lock held and replies, unless the
// renderer is stuck.
func (s *session) dispatch(r request) {
	if r.Method == cdpclient.RuntimeRunIfWaitingForDebugger && s.target != nil {
		s.run(r.ID)
		return
	}
	do := browserCommands[r.Method]
	if do == nil {
		do = rendererCommands[r.Method]
		if do == nil || s.target == nil || s.target.root == nil && r.Method != cdpclient.RuntimeEnable {
			s.reply(r.ID, nil, &cdpclient.Error{Code: -32601, Message: "'" + r.Method + "' wasn't found"})
			return
		}
		if s.target.root == nil {
			do = nothing
		} else if s.target.blocked != "" {
			s.target.held = append(s.target.held, heldCommand{s, r})
			return
		}
	}
	result, after, err := do(s, r.Params)
	if s.conn.sessions[s.id] == s { // it may have ended itself
		s.reply(r.ID, result, err)
	}
	if after != nil {
		after()
	}
}

// run lets a waiting target go. A page's script runs after the reply; an
// iframe's document is shown before it.
func (s *session) run(id uint64) {
	t := s.target
	waited := s.waiting
	s.waiting = false
	if waited && t.isIframe() && !t.waits() && len(t.todo) > 0 {
		f := t.todo[0]
		t.todo = t.todo[1:]
		f()
	}
	s.reply(id, nil, nil)
	if waited {
		t.released()
	}
}

func nothing(*session, json.RawMessage) (any, func(), error) { return nil, nil, nil }

// decode reads params; a mistake is answered as Chrome does.
func decode(params json.RawMessage, v any) error {
	if len(params) == 0 {
		return nil
	}
	if err := json.Unmarshal(params, v); err != nil {
		return &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "Invalid parameters", Data: mustJSON(err.Error())}
	}
	return nil
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func getVersion(*session, json.RawMessage) (any, func(), error) {
	return cdpclient.BrowserVersion{ProtocolVersion: "1.3", Product: "HeadlessChrome/156.0.0.0", UserAgent: "cdptest", JSVersion: "15.6"}, nil, nil
}

func browserClose(s *session, _ json.RawMessage) (any, func(), error) {
	b := s.conn.b
	return nil, func() { go b.Die() }, nil
}

func setDiscoverTargets(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SetDiscoverTargetsParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	c := s.conn
	was := c.discover
	c.discover, c.filter = p.Discover, p.Filter
	if p.Discover && !was {
		for _, t := range c.b.targets {
			if matches(p.Filter, t.kind) {
				c.root.emit(cdpclient.TargetTargetCreated, cdpclient.TargetInfoChanged{TargetInfo: t.info()})
			}
		}
	}
	return nil, nil, nil
}

func setAutoAttach(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SetAutoAttachParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if p.AutoAttach && !p.Flatten {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "Only flatten protocol is supported"}
	}
	targets := s.conn.b.targets
	if s.target != nil {
		targets = s.target.kidTargets()
	}
	s.auto = &p
	if !p.AutoAttach {
		s.auto = nil
	}
	for _, t := range slices.Clone(targets) {
		if s.auto != nil && matches(p.Filter, t.kind) {
			s.attach(t, false) // it is there already: nothing to hold
		} else if old, ok := s.conn.sessionOn(t); ok && old.parent == s {
			old.detach()
		}
	}
	return nil, nil, nil
}

func getTargets(s *session, _ json.RawMessage) (any, func(), error) {
	r := cdpclient.GetTargetsResult{TargetInfos: []cdpclient.TargetInfo{}}
	for _, t := range s.conn.b.targets {
		r.TargetInfos = append(r.TargetInfos, t.info())
	}
	return r, nil, nil
}

func createTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ URL string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if p.URL == "" {
		p.URL = "about:blank"
	}
	return obj{"targetId": s.conn.b.open(p.URL, nil).t.id}, nil, nil
}

func closeTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ TargetID string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	t := s.conn.b.target(p.TargetID)
	if t == nil || t.page == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No target with given id found"}
	}
	return obj{"success": true}, t.page.close, nil
}

func attachToTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ TargetID string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	t := s.conn.b.target(p.TargetID)
	if t == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No target with given id found"}
	}
	return cdpclient.SessionParams{SessionID: s.join(t, false).id}, nil, nil
}

func detachFromTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SessionParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	old := s.conn.sessions[p.SessionID]
	if old == nil || old.parent != s {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No session with given id"}
	}
	old.detach()
	return nil, nil, nil
}

func getFrameTree(s *session, _ json.RawMessage) (any, func(), error) {
	return cdpclient.GetFrameTreeResult{FrameTree: s.target.root.tree()}, nil, nil
}

func addScript(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.AddScriptParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	s.scripts = append(s.scripts, p)
	if p.RunImmediately && p.WorldName != "" {
		for _, f := range s.target.root.frames() {
			if len(f.doc.contexts) > 0 {
				f.ensureWorld(p.WorldName)
			}
		}
	}
	return obj{"identifier": "1"}, nil, nil
}

func addBinding(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.AddBindingParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	s.bindings = append(s.bindings, p)
	return nil, nil, nil
}

func runtimeEnable(s *session, _ json.RawMessage) (any, func(), error) {
	if s.runtime {
		return nil, nil, nil
	}
	s.runtime = true
	for _, f := range slices.Backward(s.target.root.frames()) { // newest first, as Chrome
		for _, w := range slices.Backward(f.doc.contexts) {
			s.emit(cdpclient.RuntimeExecutionContextCreated, f.contextJSON(w))
		}
	}
	return nil, nil, nil
}

func runScript(s *session, params json.RawMessage) (any, func(), error) {
	var p struct {
		FunctionDeclaration, Expression, UniqueContextID string
		ExecutionContextID, ContextID                    int
		Arguments                                        []struct{ Value json.RawMessage }
	}
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	f, err := s.target.contextOf(p.ExecutionContextID+p.ContextID, p.UniqueContextID)
	if err != nil {
		return nil, nil, err
	}
	var args []json.RawMessage
	for _, a := range p.Arguments {
		args = append(args, a.Value)
	}
	return f.script(p.FunctionDeclaration+p.Expression, args), nil, nil
}

func terminateExecution(s *session, _ json.RawMessage) (any, func(), error) {
	t := s.target
	if t == nil || t.blocked != "hung" {
		return nil, nil, nil
	}
	return nil, t.unblock, nil
}

func webmcpEnable(s *session, _ json.RawMessage) (any, func(), error) {
	s.webmcp = true
	s.target.root.announceTools([]*session{s})
	return nil, nil, nil
}

func webmcpDisable(s *session, _ json.RawMessage) (any, func(), error) {
	s.webmcp = false
	return nil, nil, nil
}

func invokeTool(s *session, params json.RawMessage) (any, func(), error) {
	refuse := func(code int, text string) (any, func(), error) {
		return nil, nil, &cdpclient.Error{Code: code, Message: text}
	}
	var p cdpclient.InvokeToolParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if !s.webmcp {
		return refuse(cdpclient.CodeServerError, "WebMCP domain is not enabled")
	}
	input, err := canonical(p.Input)
	if err != nil {
		return refuse(cdpclient.CodeInvalidParams, "Invalid parameters")
	}
	var f *Frame
	for _, candidate := range s.target.root.frames() {
		if candidate.id == p.FrameID {
			f = candidate
		}
	}
	if f == nil {
		return refuse(cdpclient.CodeInvalidParams, "No frame for given id found")
	}
	i := f.doc.index(p.ToolName)
	if i < 0 {
		return refuse(cdpclient.CodeInvalidParams, "Tool not found")
	}
	c, run := f.invoke(f.doc.tools[i], input)
	return cdpclient.InvokeToolResult{InvocationID: c.id}, run, nil
}

func cancelInvocation(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.CancelInvocationParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	return nil, nil, s.target.cancelInvocation(p.InvocationID)
}

func pageNavigate(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ URL string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	page := s.target.page
	doc := page.begin(p.URL, "differentDocument")
	return cdpclient.NavigateResult{FrameID: s.target.id, LoaderID: doc.loader}, func() {
		page.commit(doc, "differentDocument")
		s.target.root.load()
	}, nil
}

func pageReload(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	page := s.target.page
	doc := page.begin(s.target.url, "reload")
	return nil, func() {
		page.commit(doc, "reload")
		s.target.root.load()
	}, nil
}

func handleDialog(s *session, params json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.blocked != "dialog" {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No dialog is showing"}
	}
	t := s.target
	return nil, func() {
		t.emitPage(cdpclient.PageJavascriptDialogClosed, obj{"frameId": t.id, "result": true, "userInput": ""})
		t.unblock()
	}, nil
}

func pageClose(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	return nil, s.target.page.close, nil
}
