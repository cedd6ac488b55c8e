package page

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// maxWorkers is how many workers of a tab are heard at the same time.
const maxWorkers = 50

// worker is a dedicated worker that is heard.
type worker struct {
	parent cdpclient.SessionID // the session of the document that started it
	origin string              // of its script, which is that document's, too
}

// hearWorker keeps the session of a worker, so that what the worker logs is heard. It returns false for what is no
// worker, and for workers that aren't heard: those of kept-out origins and those without an origin, of which nobody
// would know whose they are, and those beyond maxWorkers.
func (o *owner) hearWorker(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) bool {
	origin := names.DocumentOrigin("", e.TargetInfo.URL) // that of a blob's address, too
	if e.TargetInfo.Type != "worker" || origin == "" || !o.permits(origin) || len(o.workers) >= maxWorkers ||
		o.sessions[parent] == nil {
		return false
	}
	o.workers[e.SessionID] = worker{parent, origin}
	o.conn.Attach(e.SessionID, o.mail.inbox)
	o.post(e.SessionID, cdpclient.RuntimeEnable, nil, nil)
	o.post(e.SessionID, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
	return true
}

// ofDocument says whether a document of the worker's origin is still in its session. The document that started the
// worker may be gone by the time that what the worker said arrives, and the text must not count as another's.
func (o *owner) ofDocument(w worker) bool {
	for _, f := range o.frames {
		if f.session != nil && f.session.id == w.parent && f.loader != "" && o.origin(f) == w.origin {
			return true
		}
	}
	return false
}

// workerSaid tells what a worker logs as an event of its document's session. The number of its execution context goes,
// because it numbers another context there.
func (o *owner) workerSaid(w worker, e cdpclient.Event) {
	if len(o.subs[e.Method]) == 0 || !o.ofDocument(w) {
		return
	}
	var said map[string]json.RawMessage
	if json.Unmarshal(e.Params, &said) != nil {
		return
	}
	switch e.Method {
	case "Runtime.consoleAPICalled":
		delete(said, "executionContextId")
	case "Runtime.exceptionThrown":
		var details map[string]json.RawMessage
		if json.Unmarshal(said["exceptionDetails"], &details) != nil {
			return
		}
		delete(details, "executionContextId")
		said["exceptionDetails"], _ = json.Marshal(details)
	default:
		return
	}
	params, err := json.Marshal(said)
	if err == nil {
		o.tell(cdpclient.Event{Session: w.parent, Method: e.Method, Params: params})
	}
}
