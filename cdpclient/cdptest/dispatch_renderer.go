package cdptest

import (
	"encoding/json"
	"slices"

	"webmcphub/cdpclient"
)

// Commands that need a renderer.

func getFrameTree(s *session, _ json.RawMessage) (any, func(), error) {
	return cdpclient.GetFrameTreeResult{FrameTree: s.target.root.tree()}, nil, nil
}

func addScript(s *session, params json.RawMessage) (any, func(), error) {
	p, err := Decode(params)
	if err != nil {
		return nil, nil, decode(params, &p)
	}
	s.scripts = append(s.scripts, p)
	if p.RunImmediately && p.WorldName != "" {
		for _, f := range s.target.root.frames() {
			switch {
			case f.world(p.WorldName) != nil:
				f.checkReady() // run again, which the bridge takes for a question
			case len(f.doc.contexts) > 0:
				f.addWorld(p.WorldName)
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
		AwaitPromise                                     bool
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
	result := f.script(p.FunctionDeclaration+p.Expression, args)
	if promised, ok := result.(promise); ok {
		if !p.AwaitPromise {
			is := obj{"type": "object", "subtype": "promise", "className": "Promise", "description": "Promise"}
			return obj{"result": is}, func() { promised(func(any, error) {}) }, nil
		}
		result = f.doc.awaits(promised)
	}
	return result, nil, nil
}

// stopLoading ends the loading of a document without a load event.
func stopLoading(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target.root.doc.complete {
		return nil, nil, nil
	}
	return nil, func() { s.target.emitPage("Page.frameStoppedLoading", obj{"frameId": s.target.id}) }, nil
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
	if err != nil || !cdpclient.Invocable(p.Input) {
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
