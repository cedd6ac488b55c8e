package trace

import (
	"cmp"
	"strings"
)

// request is a request with all its redirects. Its TS is when the request was made.
type request struct {
	moment
	requestID
	wills, sends steps // as the browser and as the renderer report them
	finish       int64 // when the request ended; 0 if it did not
	body
	hidden bool // the rules keep its document out, so it is only counted
	cached bool
	outgoing
	answer
}

type requestID struct{ RequestID string }

// outgoing is what the page requested.
type outgoing struct {
	URL, Frame, ResourceType, Priority, FetchPriorityHint, RenderBlocking string
	IsLinkPreload                                                         bool
	Initiator                                                             struct{ Type, URL string }
}

// answer has the status and headers of the response.
type answer struct {
	MimeType, Protocol           string
	StatusCode                   int
	FromCache, FromServiceWorker bool
	Headers                      []header
	Timing                       *timing
}

// body has the lengths of the response's body and of what came over the network, in bytes.
type body struct{ DecodedBodyLength, EncodedDataLength int64 }

// timing has the times of a response: RequestTime in seconds, the others in milliseconds after it.
type timing struct{ RequestTime, SendEnd, ReceiveHeadersStart, ReceiveHeadersEnd float64 }

// firstByte returns when the response began, in milliseconds after RequestTime.
func (t *timing) firstByte() float64 {
	if t.ReceiveHeadersStart <= 0 {
		return t.ReceiveHeadersEnd
	}
	return t.ReceiveHeadersStart
}

type header struct{ Name, Value string }

// request returns a request by its id, and adds it if there is none. The browser's event about a navigation's request
// comes before the renderer's.
func (c *collected) request(id requestID, ts int64) *request {
	r := c.requests[id.RequestID]
	if r == nil && id.RequestID != "" && c.room("requests", len(c.requests), maxRequests) {
		r = &request{requestID: id, moment: moment{TS: ts}}
		c.requests[id.RequestID] = r
		c.byTime = append(c.byTime, r)
	}
	if r != nil {
		r.TS = min(r.TS, ts)
	}
	return r
}

func (c *collected) willSend(e *Event) {
	if id, ok := data[requestID](e); ok {
		if r := c.request(id, e.TS); r != nil {
			r.wills.add(e.TS)
		}
	}
}

func (c *collected) send(e *Event) {
	d, ok := data[struct {
		requestID
		outgoing
	}](e)
	if !ok {
		return
	}
	if r := c.request(d.requestID, e.TS); r != nil {
		r.sends.add(e.TS)
		r.outgoing = d.outgoing
		r.URL, r.Initiator.URL = clip(r.URL), clip(r.Initiator.URL)
	}
}

func (c *collected) response(e *Event) {
	d, ok := data[struct {
		requestID
		answer
	}](e)
	r := c.requests[d.RequestID]
	if !ok || r == nil {
		return
	}
	if d.Timing == nil {
		d.Timing = r.Timing
	}
	r.answer, r.cached = d.answer, r.cached || d.FromCache
	r.Headers = r.Headers[:min(len(r.Headers), 100)]
	for i := range r.Headers {
		r.Headers[i].Value = clip(r.Headers[i].Value)
	}
}

func (c *collected) finished(e *Event) {
	d, ok := data[struct {
		requestID
		body
		FinishTime float64
	}](e)
	r := c.requests[d.RequestID]
	if !ok || r == nil {
		return
	}
	r.body, r.finish = d.body, e.TS
	if d.FinishTime > 0 {
		r.finish = int64(d.FinishTime * 1e6)
	}
}

// changed handles events that say what else became of a request: its priority, whether it blocks the first paint, and
// whether the response came from the cache.
func (c *collected) changed(e *Event) {
	d, _ := data[struct {
		requestID
		Priority, RenderBlocking string
	}](e)
	if r := c.requests[d.RequestID]; r != nil {
		r.Priority, r.RenderBlocking = cmp.Or(d.Priority, r.Priority), cmp.Or(d.RenderBlocking, r.RenderBlocking)
		r.cached = r.cached || string(e.Name) == "ResourceMarkAsCached"
	}
}

// steps are the times at which the steps of a request's redirects were requested.
type steps struct {
	n           int
	first, last int64
}

func (s *steps) add(ts int64) {
	if s.n == 0 || ts < s.first {
		s.first = ts
	}
	s.last = max(s.last, ts)
	s.n++
}

// redirected returns how long redirects took, in microseconds. The browser's times are the correct ones; a renderer
// learns about a navigation's redirects only at its end.
func (r *request) redirected() int64 {
	switch {
	case r.sends.n < 2:
		return 0
	case r.wills.n >= 2:
		return r.wills.last - r.wills.first
	}
	return r.sends.last - r.sends.first
}

// firstByteAt returns when the first byte of the response came; 0 means unknown.
func (r *request) firstByteAt() int64 {
	if r.Timing == nil {
		return 0
	}
	return int64(r.Timing.RequestTime*1e6 + r.Timing.firstByte()*1000)
}

func (r *request) header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
