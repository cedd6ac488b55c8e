package page

import (
	"encoding/json"

	"webmcphub/cdpclient"
)

// maxWorkers is how many workers of a tab are heard at the same time.
const maxWorkers = 50

// hearWorker keeps the session of a worker that a document has started, so that what the worker logs is heard.
func (o *owner) hearWorker(worker, parent cdpclient.SessionID) {
	o.workers[worker] = parent
	o.conn.Attach(worker, o.mail.inbox)
	o.post(worker, cdpclient.RuntimeEnable, nil, nil)
	o.post(worker, cdpclient.RuntimeRunIfWaitingForDebugger, nil, nil)
}

// workerSaid tells what a worker logs as an event of its document's session. The number of its execution context goes,
// because it numbers another context there.
func (o *owner) workerSaid(parent cdpclient.SessionID, e cdpclient.Event) {
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
		o.tell(cdpclient.Event{Session: parent, Method: e.Method, Params: params})
	}
}
