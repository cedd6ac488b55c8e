package page

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// maxWorkers is how many workers of each kind a tab listens to at the same time.
const maxWorkers = 50

// typeSharedWorker is the type of targets that [owner.discover] finds. Sessions with tabs don't see these workers, and if
// the session with the browser attached to them by Target.setAutoAttach, no page could open a window any more.
const typeSharedWorker = "shared_worker"

// workerKinds names the types of targets that are workers.
var workerKinds = map[string]string{"worker": "worker", "service_worker": "service worker",
	typeSharedWorker: "shared worker"}

// worker is a worker with which the page has a session.
type worker struct {
	Kind string `json:"kind"`
	URL  string `json:"url"` // of its script

	// parent is the session of the document that started the worker, or in whose scope a service worker is. It is the
	// session with the browser for a shared worker: Chrome doesn't say which documents use it.
	parent cdpclient.SessionID
	origin string // of its script, which is that of its documents, too
	heard  bool
}

// keepWorker keeps the session of a worker, so that what the worker logs is heard. It returns false for what is no
// worker, and for workers that aren't heard: those of kept-out origins and those without an origin, of which nobody
// would know whose they are, those of other browser contexts, and those beyond maxWorkers.
func (o *owner) keepWorker(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) bool {
	if by := o.workers[parent]; by != nil { // a worker's worker is heard as its document's, too
		parent = by.parent
	}
	w := &worker{Kind: workerKinds[e.TargetInfo.Type], URL: e.TargetInfo.URL, parent: parent,
		origin: names.DocumentOrigin("", e.TargetInfo.URL)} // that of a blob's address, too
	same := 0
	for _, other := range o.workers {
		if other.Kind == w.Kind {
			same++
		}
	}
	switch {
	case w.Kind == "", w.origin == "", !o.permits(w.origin), same >= maxWorkers:
		return false
	case parent == o.browser && e.TargetInfo.BrowserContextID != o.context:
		return false
	case parent != o.browser && o.sessions[parent] == nil:
		return false
	}
	o.workers[e.SessionID] = w
	o.conn.Attach(e.SessionID, o.mail.inbox)
	o.hearWorkers()
	o.post(e.SessionID, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
	return true
}

// hearWorkers begins to listen to workers whose document is there now. Chrome repeats what such a worker has said
// before.
func (o *owner) hearWorkers() {
	for id, w := range o.workers {
		if w.heard || o.documentOf(w) == "" {
			continue
		}
		w.heard = true
		o.post(id, cdpclient.RuntimeEnable, nil, nil)
		o.post(id, cdpclient.TargetSetAutoAttach, autoAttach, nil) // to the workers that it starts
	}
}

// documentOf returns the session of a document to which what the worker says belongs: one of the worker's origin. It
// returns "" if there is none. The document that started the worker may be gone by the time that what the worker said
// arrives, and the text must not count as another's.
func (o *owner) documentOf(w *worker) (in cdpclient.SessionID) {
	for _, f := range o.frames {
		s := f.session
		if s == nil || f.loader == "" || s.id != w.parent && w.parent != o.browser || o.origin(f) != w.origin {
			continue
		}
		if in = s.id; s == o.tab {
			break // so that a shared worker's messages are the main frame's, if they can be
		}
	}
	return in
}

// workerSaid tells what a worker logs as an event of its document's session. The event says which worker it is. The
// number of the worker's execution context goes, because it numbers another context there.
func (o *owner) workerSaid(w *worker, e cdpclient.Event) {
	if e.Method != "Runtime.consoleAPICalled" && e.Method != "Runtime.exceptionThrown" || len(o.subs[e.Method]) == 0 {
		return
	}
	in := o.documentOf(w)
	var said, details map[string]json.RawMessage
	if in == "" || json.Unmarshal(e.Params, &said) != nil {
		return
	}
	delete(said, "executionContextId")
	if json.Unmarshal(said["exceptionDetails"], &details) == nil {
		delete(details, "executionContextId")
		said["exceptionDetails"], _ = json.Marshal(details)
	}
	said["worker"], _ = json.Marshal(w)
	if params, err := json.Marshal(said); err == nil {
		o.tell(cdpclient.Event{Session: in, Method: e.Method, Params: params})
	}
}
