package mcpbhub

import (
	"encoding/json"

	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
)

// The functions below handle what a proxy sends besides its tools and results: requests of its page to the agent, and
// the progress of calls.

// maxID is how many bytes the id of a request may have.
const maxID = 256

// requested passes on a request of the page. The request keeps the proxy's id, as JSON.
func (d *dialect) requested(m jsonrpc.Message, l *extlink.Line) {
	if m.ID == nil {
		ignore(l, m, "a request needs an id, a string or a number")
		return
	}
	if !d.can.Elicitation {
		refuse(l, m, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "pages' requests are not passed on to the agent "+
			"(--no-page-requests)"))
		return
	}
	if len(m.ID) > maxID {
		refuse(l, m, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "the id is too long"))
		return
	}
	if m.Method == elicitConfirmation {
		m.Method = elicit
		params := map[string]json.RawMessage{}
		_ = json.Unmarshal(m.Params, &params) // without params it stays empty
		if params["requestedSchema"] == nil { // a yes-or-no question
			params["requestedSchema"] = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		m.Params = jsonrpc.MustEncode(params)
	}
	if !d.tab.there {
		refuse(l, m, jsonrpc.Errorf(TabNotFound, "TabNotFound: browser/registerTools comes first"))
		return
	}
	l.Deliver(extlink.PageRequest{TabID: number, RequestID: string(m.ID), Method: m.Method, Params: m.Params})
}

// withdrawn handles the cancellation of a request by the proxy.
func withdrawn(m jsonrpc.Message, l *extlink.Line) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil || len(p.ID) == 0 || len(p.ID) > maxID {
		ignore(l, m, "it cancels no request")
		return
	}
	l.Deliver(extlink.PageRequestCancelled{TabID: number, RequestID: string(p.ID)})
}

// progressed passes on the progress of a call, whose id is the token.
func progressed(m jsonrpc.Message, l *extlink.Line) {
	var p struct {
		Token string `json:"progressToken"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Token == "" {
		ignore(l, m, "it has no progressToken")
		return
	}
	l.Deliver(extlink.ToolProgress{CallID: p.Token, Params: m.Params})
}
