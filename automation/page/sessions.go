package page

import (
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
)

// autoAttach has Chrome make sessions with out-of-process iframes, and hold their
// documents until the session is prepared: what they log and load first is seen. Chrome holds the workers and worklets
// of a page too, whatever the filter says, so there are sessions with those, by which they are let go.
var autoAttach = json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,` +
	`"filter":[{"type":"iframe"},{"type":"worker"},{"type":"worklet"}]}`)

// session is one with the tab or with an out-of-process iframe.
type session struct {
	id       cdpclient.SessionID
	parent   cdpclient.SessionID // "" for the tab's
	root     string              // the frame that it is with
	waiting  bool                // its document is held
	asked    int                 // replies to its preparation that are to come
	late     bool                // it was waited for in vain, and has answered nothing since
	ended    bool                // the tab's: what became of the tab isn't known yet
	changes  int                 // counts what it has said of frames
	contexts map[int]*world      // by execution context
}

func (o *owner) addSession(id, parent cdpclient.SessionID, root string, waiting bool) *session {
	s := &session{id: id, parent: parent, root: root, waiting: waiting, contexts: map[int]*world{}}
	o.sessions[id] = s
	return s
}

// prepare readies a session, all in one go, so that a document that is held finds
// everything in place.
func (o *owner) prepare(s *session) {
	step := func(method string, params any) {
		s.asked++
		o.post(s.id, method, params, func(cdpclient.Reply) { s.asked-- })
	}
	if s == o.tab {
		o.post(s.id, "Inspector.enable", nil, nil) // says whether the page has crashed before
	}
	step(cdpclient.PageEnable, nil)
	step("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true})
	step(cdpclient.RuntimeEnable, nil)
	for _, setup := range o.setups {
		step(setup.method, setup.params)
	}
	o.askTree(s)
	step(cdpclient.TargetSetAutoAttach, autoAttach)
	if s.waiting {
		o.post(s.id, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
	}
}

// mainReady says whether the page has answered.
func (o *owner) mainReady() bool { return o.tab.asked == 0 && o.frames[o.main] != nil }

// allReady says whether all frames have answered, too.
func (o *owner) allReady() (bool, error) {
	for _, s := range o.sessions {
		if s.asked > 0 {
			return false, nil
		}
	}
	return true, nil
}

func (o *owner) attached(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) {
	if parent == o.browser {
		return // the tab's own; see Open
	}
	if e.TargetInfo.Type != cdpclient.TypeIframe {
		o.post(e.SessionID, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
		o.post(parent, cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: e.SessionID}, nil)
		return
	}
	s := o.addSession(e.SessionID, parent, e.TargetInfo.TargetID, e.WaitingForDebugger)
	o.conn.Attach(s.id, o.mail.inbox)
	if e.TargetInfo.ParentFrameID != "" && o.frames[s.root] == nil {
		o.addFrame(s.root, e.TargetInfo.ParentFrameID)
	}
	o.moveTo(s.root, s)
	o.prepare(s)
}

// detached takes note of a session's end, which Chrome may have told of, or only shown by
// refusing a command for it.
func (o *owner) detached(id cdpclient.SessionID) {
	if id == o.tab.id || id == o.browser {
		o.lost()
		return
	}
	s := o.sessions[id]
	if s == nil {
		return
	}
	o.conn.Detach(id)
	delete(o.sessions, id)
	f := o.frames[s.root]
	if f == nil || f.session != s {
		return
	}
	// The frame was removed, or its next document is in its parent's process.
	o.removeKids(f)
	f.session, f.loader = nil, ""
	o.dirty = true
	if parent := o.sessions[s.parent]; parent != nil {
		o.askTree(parent)
	}
}

// lost finds out what became of the tab whose session has ended. Until that is known, what was
// asked of it goes without an answer.
func (o *owner) lost() {
	if o.tab.ended {
		return
	}
	o.tab.ended = true
	o.post(o.browser, "Target.getTargetInfo", map[string]any{"targetId": o.target}, func(r cdpclient.Reply) {
		switch {
		case errors.Is(r.Err, cdpclient.ErrConnClosed): // which says so itself
		case r.Err == nil, sessionIsGone(r.Err):
			o.end(&Ended{Why: "Chrome has ended the hub's connection to the tab, which is still there; call again"})
		default:
			o.end(&Ended{Why: Closed})
		}
	})
}
