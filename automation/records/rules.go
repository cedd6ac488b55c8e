package records

import (
	"bytes"
	"encoding/json"
	"strings"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// mayHear says whether the rules permit the document to which an event belongs. While that isn't known, as when a
// page is being opened, events are accepted only if all sites are permitted. Hubs' own pages are kept out even then.
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

// isOf says whether an event of a process belongs to one of the permitted documents in it. Documents of several
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
	case "Network.webSocketCreated": // the event doesn't say to which document it belongs
		r.sockets = r.tab.Document().Seq
		return false
	default:
		// An event that continues a request counts only if the request was recorded.
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

// isAbout says whether a log entry or an issue belongs to one of the permitted documents, because it names the
// document's frame or a request that was recorded. For other entries, nobody knows to which document they belong.
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
	ids := requestsIn(issue.Issue.Details, nil)
	if id := log.Entry.NetworkRequestID; id != "" {
		ids = append(ids, id)
	}
	for _, id := range ids {
		document, recorded := r.tab.Asked(id)
		if !recorded || document != "" && !r.permits(document) {
			return false
		}
	}
	return len(ids) > 0
}

// requestsIn returns the ids of the requests that an issue's details name.
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

// mentions says whether a text contains a frame's id or origin.
func mentions(params json.RawMessage, frames []page.Frame) bool {
	for _, f := range frames {
		if bytes.Contains(params, []byte(f.ID)) || strings.Contains(f.Origin, "://") &&
			bytes.Contains(params, []byte(f.Origin)) {
			return true
		}
	}
	return false
}
