package records

import (
	"bytes"
	"encoding/json"
	"strings"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// mayHear says whether the rules permit the document that an event is of. Where that isn't
// known yet, as while a page is being opened, only who permits all sites may hear. Hubs' own
// pages are kept out even then.
func (r *Records) mayHear(e cdpclient.Event) bool {
	all := r.permits == nil || r.permits("")
	if r.page == nil {
		return all
	}
	var permitted, out []page.Frame
	for _, f := range r.page.Frames() {
		switch {
		case f.Session != e.Session:
		case f.Permitted:
			permitted = append(permitted, f)
		default:
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return all || len(permitted) > 0
	}
	if len(permitted) == 0 {
		return false
	}
	return r.isOf(e, permitted, out)
}

// isOf says whether an event of a process is of one of the permitted documents in it:
// origins of one site share a process.
func (r *Records) isOf(e cdpclient.Event, permitted, out []page.Frame) bool {
	var of struct {
		FrameID            string
		ExecutionContextID int
		ExceptionDetails   struct{ ExecutionContextID int }
	}
	switch e.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Network.requestWillBeSent":
		if json.Unmarshal(e.Params, &of) != nil {
			return false
		}
	case "Network.webSocketCreated": // says nothing of its document
		r.sockets = r.tab.Document().Seq
		return false
	default:
		// What goes on with a request counts only if that was let in.
		return strings.HasPrefix(e.Method, "Network.") || !mentions(e.Params, out) && r.isAbout(e.Params, permitted)
	}
	frame := of.FrameID
	if context := max(of.ExecutionContextID, of.ExceptionDetails.ExecutionContextID); context != 0 {
		frame = r.page.FrameOfContext(e.Session, context)
	}
	for _, f := range permitted {
		if f.ID == frame {
			return true
		}
	}
	return false
}

// isAbout says whether a log entry or an issue is of one of the permitted documents: it names the
// frame, or a request that was let in. Of others nobody knows whose they are.
func (r *Records) isAbout(params json.RawMessage, permitted []page.Frame) bool {
	for _, f := range permitted {
		if bytes.Contains(params, []byte(`"`+f.ID+`"`)) {
			return true
		}
	}
	var log struct {
		Entry struct{ NetworkRequestID string }
	}
	var issue struct{ Issue struct{ Details any } }
	if json.Unmarshal(params, &log) != nil || json.Unmarshal(params, &issue) != nil {
		return false
	}
	asked := requestsIn(issue.Issue.Details, nil)
	if id := log.Entry.NetworkRequestID; id != "" {
		asked = append(asked, id)
	}
	for _, id := range asked {
		document, recorded := r.tab.Asked(id)
		if !recorded || document != "" && !r.permits(document) {
			return false
		}
	}
	return len(asked) > 0
}

// requestsIn are the ids of the requests that an issue's details name.
func requestsIn(v any, found []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if id, ok := inner.(string); ok && name == "requestId" && id != "" {
				found = append(found, id)
			}
			found = requestsIn(inner, found)
		}
	case []any:
		for _, inner := range v {
			found = requestsIn(inner, found)
		}
	}
	return found
}

// mentions says whether a text has a frame's id or origin in it.
func mentions(params json.RawMessage, frames []page.Frame) bool {
	for _, f := range frames {
		if bytes.Contains(params, []byte(f.ID)) || strings.Contains(f.Origin, "://") &&
			bytes.Contains(params, []byte(f.Origin)) {
			return true
		}
	}
	return false
}
