package records

import (
	"encoding/json"
	"slices"
	"strings"
)

// Request is one request with its response. Each step of a redirect is a request
// of its own.
type Request struct {
	ID         int    `json:"reqid"`
	Document   int    `json:"document"`
	Method     string `json:"method"`
	URL        string `json:"url"`
	Type       string `json:"resourceType"` // one of [ResourceTypes]
	State      State  `json:"state"`
	Status     int    `json:"status,omitempty"`
	StatusText string `json:"statusText,omitempty"`
	Failure    string `json:"failure,omitempty"` // why there is no response, or not all of it

	RedirectedFrom int `json:"redirectedFrom,omitempty"` // the reqid before and after
	RedirectedTo   int `json:"redirectedTo,omitempty"`

	Response Response `json:"response"`
	Sent     Sent     `json:"request"`
	Timing   *Timing  `json:"timing,omitempty"`
	Stream   *Stream  `json:"stream,omitempty"` // of a WebSocket or EventSource
}

// State is how far a request is.
type State string

// The states of a request.
const (
	Pending    State = "pending"
	Redirected State = "redirected"
	Finished   State = "finished"
	Failed     State = "failed"
	Canceled   State = "canceled"
	Blocked    State = "blocked" // Chrome didn't send it, or didn't give the page the response
)

// Sent is what was asked.
type Sent struct {
	Headers   []Header `json:"headers,omitempty"`
	Body      string   `json:"body,omitempty"`      // empty if it is longer than 32 KiB
	HasBody   bool     `json:"hasBody,omitempty"`   // also where Body is empty
	Initiator string   `json:"initiator,omitempty"` // "script app.js:12", "parser", …
	Priority  string   `json:"priority,omitempty"`
}

// Response is what came back.
type Response struct {
	Headers     []Header `json:"headers,omitempty"`
	MIME        string   `json:"mimeType,omitempty"`
	Protocol    string   `json:"protocol,omitempty"`
	Remote      string   `json:"remote,omitempty"` // address and port
	From        string   `json:"servedFrom,omitempty"`
	Bytes       int64    `json:"bytes"`       // of the body, decoded, so far
	Transferred int64    `json:"transferred"` // over the network, with headers, so far
}

// Header is one line of a header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ResourceTypes are the types of requests that can be asked for, as
// chrome-devtools-mcp has them.
var ResourceTypes = []string{"document", "stylesheet", "image", "media", "font", "script", "texttrack", "xhr", "fetch",
	"prefetch",
	"eventsource", "websocket", "manifest", "signedexchange", "ping", "cspviolationreport", "preflight", "fedcm",
	"other"}

// request is a ring's entry.
type request struct {
	Request
	cdp     string // its id in CDP, which all steps of a redirect share
	session string // where to ask for its body
	loader  string // the document that asked, or that it brings
	started float64
	wall    float64 // milliseconds since 1970 at started
	ended   float64

	sentHeaders, gotHeaders headerBlock
	noExtra                 bool // Chrome sends no headers of the network for this step
	timing                  *resourceTiming
}

// headerBlock is headers as they came; most are never looked at.
type headerBlock struct {
	raw   json.RawMessage
	extra bool // those of the network, not those that the page sees
}

// set takes headers unless better ones are there.
func (h *headerBlock) set(raw json.RawMessage, extra bool) {
	if len(raw) == 0 || h.extra && !extra {
		return
	}
	if len(raw) > maxHeaders {
		raw = cutHeaders(raw)
	}
	h.raw, h.extra = raw, extra
}

// list gives the headers sorted by name, lower case; several of one name are
// several lines. Secrets are left out of them.
func (h headerBlock) list() []Header {
	var m map[string]string
	if json.Unmarshal(h.raw, &m) != nil {
		return nil
	}
	out := make([]Header, 0, len(m))
	for name, values := range m {
		for value := range strings.SplitSeq(values, "\n") {
			name := strings.ToLower(name)
			out = append(out, Header{name, withoutSecrets(name, value)})
		}
	}
	slices.SortStableFunc(out, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// cutHeaders leaves of each value so much that all fit.
func cutHeaders(raw json.RawMessage) json.RawMessage {
	var m map[string]string
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	const each, most = 1 << 10, 100
	kept := map[string]string{}
	size := 0
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		values := strings.Split(m[name], "\n")
		for i, value := range values {
			values[i] = withoutSecrets(strings.ToLower(name), value) // tells how long they were
		}
		value := clip(strings.Join(values, "\n"), each)
		if size += len(clip(name, 200)) + len(value); size > maxHeaders || i >= most {
			break
		}
		kept[clip(name, 200)] = value
	}
	cut, _ := json.Marshal(kept)
	return cut
}

func (r *request) size() int {
	n := len(r.URL) + len(r.Sent.Body) + len(r.Sent.Initiator) + len(r.sentHeaders.raw) + len(r.gotHeaders.raw) + len(r.Failure) + 512
	if r.timing != nil {
		n += 128
	}
	if r.Stream != nil {
		n += r.Stream.size()
	}
	return n
}

// view is the request as others see it.
func (r *request) view() Request {
	out := r.Request
	out.Sent.Headers, out.Response.Headers = r.sentHeaders.list(), r.gotHeaders.list()
	out.Timing = r.timed()
	if r.Stream != nil {
		s := *r.Stream
		s.Last = slices.Clone(s.Last)
		out.Stream = &s
	}
	return out
}
