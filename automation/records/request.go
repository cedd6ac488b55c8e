package records

import (
	"encoding/json"
	"slices"
	"strings"
)

// Request is a request with its response. Each step of a redirect is a request of its own.
type Request struct {
	ID         int
	Document   int
	Method     string
	URL        string
	Type       string // one of [ResourceTypes]
	State      State
	Status     int
	StatusText string
	Failure    string // why there is no response, or only a part of it

	RedirectedFrom int // the reqids of the requests before and after this one
	RedirectedTo   int

	Response Response
	Sent     Sent
	Started  float64 // milliseconds since 1970; 0 if that isn't known
	Timing   []Phase
	Stream   *Stream // set for a WebSocket or EventSource

	cdp     string // CDP's request id, which all steps of a redirect share
	session string // the session to ask for its body
}

// State says how far a request has come.
type State string

// The states of a request.
const (
	Pending    State = "pending"
	Redirected State = "redirected"
	Finished   State = "finished"
	Failed     State = "failed"
	Canceled   State = "canceled"
	Blocked    State = "blocked" // Chrome didn't send it, or kept the response from the page
)

// Sent is the request that the page sent.
type Sent struct {
	Headers   []Header
	Body      string // "" if it is longer than 32 KiB
	HasBody   bool   // there is a body, even if Body is ""
	Initiator string // "script app.js:12", "parser", …
	Priority  string
}

// Response is the response.
type Response struct {
	Headers     []Header
	MIME        string
	Protocol    string
	Remote      string // the server's address and port
	From        string
	Bytes       int64 // the bytes of the decoded body so far
	Transferred int64 // the bytes over the network so far, with headers
}

// Header is one line of a header.
type Header struct {
	Name  string
	Value string
}

// ResourceTypes are the types by which requests can be filtered, as in chrome-devtools-mcp.
var ResourceTypes = strings.Fields(`document stylesheet image media font script texttrack xhr fetch prefetch
	eventsource websocket manifest signedexchange ping cspviolationreport preflight fedcm other`)

// request is an entry of a ring.
type request struct {
	Request
	loader  string  // the document that made the request, or that it brings
	started float64 // by Chrome's clock, in seconds, as ended
	ended   float64

	sentHeaders, gotHeaders headerBlock
	noExtra                 bool // Chrome sends no network headers for this step
	timing                  *resourceTiming
}

// headerBlock has headers as they came. Most are never decoded.
type headerBlock struct {
	raw   json.RawMessage
	extra bool // the headers from the network, not those that the page sees
}

// set stores headers, unless better ones are there.
func (h *headerBlock) set(raw json.RawMessage, extra bool) {
	if len(raw) == 0 || h.extra && !extra {
		return
	}
	if len(raw) > maxHeaders {
		raw = cutHeaders(raw)
	}
	h.raw, h.extra = raw, extra
}

// list returns the headers sorted by name, in lower case. A header with several values gives several entries. Secrets
// are removed.
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

// cutHeaders cuts off long values so that all headers fit.
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
			values[i] = withoutSecrets(strings.ToLower(name), value) // keeps the length of secrets
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

// view returns the request as others see it.
func (r *request) view() Request {
	out := r.Request
	out.Sent.Headers, out.Response.Headers = r.sentHeaders.list(), r.gotHeaders.list()
	out.Timing = r.phases()
	if r.Stream != nil {
		s := *r.Stream
		s.Last = slices.Clone(s.Last)
		out.Stream = &s
	}
	return out
}
