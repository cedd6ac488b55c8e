package mcpbhub

import "encoding/json"

// What a proxy says besides its tools and results: what its page asks of the
// agent, and how a call goes on.

// maxID is the longest id of a request that is passed on, in bytes.
const maxID = 256

// requested passes a request of the page on. Its id stays the proxy's, as JSON.
func (w *wire) requested(m rpc) []extMessage {
	var id any
	if json.Unmarshal(m.ID, &id) != nil || !isID(id) {
		w.ignore("a request needs an id, a string or a number", m)
		return nil
	}
	if !w.can.Elicitation {
		w.refuse(m, methodNotFound, "pages' requests are not passed on to the agent (--no-page-requests)")
		return nil
	}
	if len(m.ID) > maxID {
		w.refuse(m, invalidRequest, "the id is too long")
		return nil
	}
	select {
	case <-w.greeted: // the tab has been told of, if there is one
	case <-w.done:
		return nil
	}
	w.mu.Lock()
	there := w.there
	w.mu.Unlock()
	if !there {
		w.refuse(m, TabNotFound, "TabNotFound: browser/registerTools comes first")
		return nil
	}
	said := map[string]json.RawMessage{}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &said) != nil {
		w.refuse(m, invalidParams, "params must be an object")
		return nil
	}
	if m.Method == elicitConfirmation {
		m.Method = elicit
		if said["requestedSchema"] == nil { // yes or no
			said["requestedSchema"] = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		m.Params, _ = json.Marshal(said) // it was read a moment ago
	}
	return []extMessage{{Type: "pageRequest", TabID: 1, RequestID: string(m.ID), Method: m.Method, Params: m.Params}}
}

func isID(v any) bool {
	switch v.(type) {
	case string, float64:
		return true
	}
	return false
}

// withdrawn: the proxy cancels a request of its own.
func (w *wire) withdrawn(m rpc) []extMessage {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil || len(p.ID) == 0 {
		w.ignore("it cancels no request", m)
		return nil
	}
	return []extMessage{{Type: "cancelPageRequest", TabID: 1, RequestID: string(p.ID)}}
}

// progressed passes on how a call goes on; its token is the call's id.
func (w *wire) progressed(m rpc) []extMessage {
	var p struct {
		Token string `json:"progressToken"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Token == "" {
		w.ignore("it is the progress of no call", m)
		return nil
	}
	return []extMessage{{Type: "toolProgress", CallID: p.Token, Params: m.Params}}
}
