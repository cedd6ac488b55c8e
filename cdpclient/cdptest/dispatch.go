package cdptest

import (
	"encoding/json"

	"webmcphub/cdpclient"
)

// command carries out one method and gives its result. It may emit events
// before the reply, and return a function to run after it.
type command func(s *session, params json.RawMessage) (result any, after func(), err error)

// promise is the result of a command that is answered later: it is called at once,
// and calls settle, with the lock held, when the result is there.
type promise func(settle func(result any, err error))

// rendererCommands need a renderer that answers.
var rendererCommands, browserCommands map[string]command

func init() {
	rendererCommands = map[string]command{
		cdpclient.PageEnable: func(s *session, _ json.RawMessage) (any, func(),
			error) {
			s.page = true
			return nil, nil, nil
		},
		"Page.stopLoading": stopLoading,
		"Page.disable": func(s *session, _ json.RawMessage) (any, func(),
			error) {
			s.page = false
			return nil, nil, nil
		},
		cdpclient.PageGetFrameTree:                     getFrameTree,
		cdpclient.PageAddScriptToEvaluateOnNewDocument: addScript,
		cdpclient.RuntimeEnable:                        runtimeEnable,
		cdpclient.RuntimeAddBinding:                    addBinding,
		cdpclient.RuntimeCallFunctionOn:                runScript,
		cdpclient.RuntimeEvaluate:                      runScript,
		cdpclient.RuntimeReleaseObject:                 nothing,
		"Runtime.getIsolateId":                         nothing,
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
		"Browser.getWindowForTarget":             getWindowForTarget,
		cdpclient.BrowserClose:                   browserClose,
		cdpclient.TargetSetDiscoverTargets:       setDiscoverTargets,
		cdpclient.TargetSetAutoAttach:            setAutoAttach,
		cdpclient.TargetGetTargets:               getTargets,
		"Target.getBrowserContexts":              getBrowserContexts,
		"Target.getTargetInfo":                   getTargetInfo,
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
	if r.Method == cdpclient.TargetSetAutoAttach && s.target != nil && s.target.busy() {
		// The renderer has a say in it, if there is one.
		s.target.held = append(s.target.held, heldCommand{s, r})
		return
	}
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
	if s.conn.b.answersFirst && r.Method == cdpclient.WebMCPInvokeTool && after != nil {
		after()
		after = nil
	}
	if promised, ok := result.(promise); ok && err == nil {
		promised(func(result any, err error) {
			if s.conn.sessions[s.id] == s {
				s.reply(r.ID, result, err)
			}
		})
		return
	}
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
		return &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "Invalid parameters",
			Data: mustJSON(err.Error())}
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
