package page

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// maxWorkers is how many workers of each kind a tab listens to at the same time.
const maxWorkers = 50

// workerKinds names the types of targets that are workers.
var workerKinds = map[string]string{"worker": "worker", "service_worker": "service worker"}

// worker is a worker with which the page has a session.
type worker struct {
	Kind string `json:"kind"`
	URL  string `json:"url"` // of its script

	// parent is the session of the document that started the worker, or that is in a service worker's scope.
	parent cdpclient.SessionID
	origin string // of its script, and of its documents
	heard  bool
}

// keepWorker keeps the session of a worker, to receive what the worker logs. It returns false for targets that aren't
// workers, for workers of kept-out origins, for workers without an origin, because nobody would know whose they are,
// and for workers beyond maxWorkers.
func (o *owner) keepWorker(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) bool {
	if by := o.workers[parent]; by != nil { // a worker that a worker started counts as its document's
		parent = by.parent
	}
	w := &worker{Kind: workerKinds[e.TargetInfo.Type], URL: e.TargetInfo.URL, parent: parent,
		origin: names.DocumentOrigin("", e.TargetInfo.URL)} // also for a blob's address
	same := 0
	for _, other := range o.workers {
		if other.Kind == w.Kind {
			same++
		}
	}
	if w.Kind == "" || w.origin == "" || !o.permits(w.origin) || same >= maxWorkers || o.sessions[parent] == nil {
		return false
	}
	o.workers[e.SessionID] = w
	o.conn.Attach(e.SessionID, o.mail.inbox)
	o.hearWorkers()
	o.post(e.SessionID, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
	return true
}

// hearWorkers begins to listen to workers whose document is there now. Chrome repeats what such a worker has logged
// before.
func (o *owner) hearWorkers() {
	for id, w := range o.workers {
		if w.heard || !o.ofDocument(w) {
			continue
		}
		w.heard = true
		o.post(id, cdpclient.RuntimeEnable, nil, nil)
		o.post(id, cdpclient.TargetSetAutoAttach, autoAttach, nil) // to the workers that it starts
	}
}

// ofDocument says whether a document of the worker's origin is in its parent session. If the document that started
// the worker is gone when a message of the worker arrives, no other document may get the message.
func (o *owner) ofDocument(w *worker) bool {
	for _, f := range o.frames {
		if f.session != nil && f.session.id == w.parent && f.loader != "" && o.origin(f) == w.origin {
			return true
		}
	}
	return false
}

// workerLogged reports what a worker logs as an event of its document's session. The event names the worker, and
// lacks the number of the worker's execution context, which means another context in that session.
func (o *owner) workerLogged(w *worker, e cdpclient.Event) {
	if e.Method != "Runtime.consoleAPICalled" && e.Method != "Runtime.exceptionThrown" || len(o.subs[e.Method]) == 0 {
		return
	}
	var fields, details map[string]json.RawMessage
	if !o.ofDocument(w) || json.Unmarshal(e.Params, &fields) != nil {
		return
	}
	delete(fields, "executionContextId")
	if json.Unmarshal(fields["exceptionDetails"], &details) == nil {
		delete(details, "executionContextId")
		fields["exceptionDetails"], _ = json.Marshal(details)
	}
	fields["worker"], _ = json.Marshal(w)
	if params, err := json.Marshal(fields); err == nil {
		o.tell(cdpclient.Event{Session: w.parent, Method: e.Method, Params: params})
	}
}
