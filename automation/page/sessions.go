package page

import (
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
)

// autoAttach makes Chrome attach sessions to out-of-process iframes, and pause each iframe's document until its
// session is prepared, so that the hub sees what the document logs and loads first. Chrome pauses a page's workers
// and worklets too, whatever the filter says. So Chrome attaches sessions to those as well: to workers to receive
// what they log, to worklets only to resume them. It also attaches to the service workers in whose scope the page is.
var autoAttach = json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,` +
	`"filter":[{"type":"iframe"},{"type":"worker"},{"type":"worklet"},{"type":"service_worker"}]}`)

// session is a session with the tab or with an out-of-process iframe.
type session struct {
	id       cdpclient.SessionID
	parent   cdpclient.SessionID   // "" for the tab's own session
	root     string                // the id of its outermost frame
	waiting  bool                  // Chrome has paused its document
	pending  int                   // how many replies to prepare and askTree are still to come
	late     bool                  // a wait for it timed out, and it hasn't answered since
	ended    bool                  // the tab's session has ended, and it isn't known yet what became of the tab
	changes  int                   // counts its reports about frames
	contexts map[int]*world        // by execution context id
	worlds   map[frameWorld]*world // the same worlds
}

func (o *owner) addSession(id, parent cdpclient.SessionID, root string, waiting bool) *session {
	s := &session{id: id, parent: parent, root: root, waiting: waiting, contexts: map[int]*world{},
		worlds: map[frameWorld]*world{}}
	o.sessions[id] = s
	return s
}

// prepare sends all commands that set up a session at once, so that everything is in place when a paused document
// resumes.
func (o *owner) prepare(s *session) {
	step := func(method string, params any) {
		s.pending++
		o.post(s.id, method, params, func(cdpclient.Reply) { s.pending, o.dirty = s.pending-1, true })
	}
	if s == o.tab {
		o.post(s.id, "Inspector.enable", nil, nil) // Chrome then reports whether the page has crashed before
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

// mainReady says whether the page has answered the commands of prepare.
func (o *owner) mainReady() bool { return o.tab.pending == 0 && o.frames[o.main] != nil }

// allReady says whether all frames have answered them too.
func (o *owner) allReady() (bool, error) {
	for _, s := range o.sessions {
		if s.pending > 0 {
			return false, nil
		}
	}
	return true, nil
}

func (o *owner) attached(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) {
	if parent == o.browser {
		return // the session that Open attached to the tab
	}
	if o.keepWorker(parent, e) {
		return
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

// detached handles a session's end. Chrome may have reported the end, or shown it by refusing a command.
func (o *owner) detached(id cdpclient.SessionID) {
	if id == o.tab.id || id == o.browser {
		o.lost()
		return
	}
	if _, is := o.workers[id]; is {
		delete(o.workers, id)
		o.conn.Detach(id)
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

// lost finds out what became of the tab after its session has ended. Until that is known, calls to the tab get no
// answer.
func (o *owner) lost() {
	if o.tab.ended {
		return
	}
	o.tab.ended = true
	o.post(o.browser, "Target.getTargetInfo", map[string]any{"targetId": o.target}, func(r cdpclient.Reply) {
		switch {
		case errors.Is(r.Err, cdpclient.ErrConnClosed): // run handles the end of the connection
		case r.Err == nil, sessionIsGone(r.Err):
			o.end(&Ended{Why: "Chrome has ended the hub's connection to the tab, which is still there; call again"})
		default:
			o.end(&Ended{Why: Closed})
		}
	})
}

// MarkLate records that a wait for a frame's session timed out; a script may keep its process busy for ever. The
// session's frames are [Frame].Late until it answers.
func (p *Page) MarkLate(session cdpclient.SessionID) {
	p.ask(func(o *owner) {
		if s := o.sessions[session]; s != nil {
			o.markLate(s)
		}
	})
}

// markLate marks a session as late and sends it a command that changes nothing and that only the process of its frames
// answers. The session is late until the reply comes.
func (o *owner) markLate(s *session) {
	if s == o.tab || s.late {
		return
	}
	s.late, o.dirty = true, true
	o.post(s.id, cdpclient.RuntimeEnable, nil, func(cdpclient.Reply) { s.late, o.dirty = false, true })
}
