package trace

import (
	"fmt"
	"strings"
)

// id2 returns the id of a request that a renderer has numbered.
func id2(pid, n int) string { return fmt.Sprintf("%d.%d", pid, n) }

// request returns a request by its id, and adds it if there is none.
func (c *collected) request(id string, ts int64) *request {
	r := c.requests[id]
	if r == nil && id != "" && c.room("requests", len(c.requests), maxRequests) {
		r = &request{id: id, ts: ts}
		c.requests[id] = r
		c.byTime = append(c.byTime, r)
	}
	return r
}

type requestID struct{ RequestID string }

// willSend handles the browser's event about a navigation's request, which comes before the renderer's.
func (c *collected) willSend(e *Event) {
	a, ok := args[struct{ Data requestID }](e)
	if !ok {
		return
	}
	if r := c.request(a.Data.RequestID, e.TS); r != nil {
		r.ts = min(r.ts, e.TS)
		r.wills.add(e.TS)
	}
}

func (c *collected) send(e *Event) {
	a, ok := args[struct {
		Data struct {
			requestID
			URL, Frame, ResourceType, Priority, FetchPriorityHint, RenderBlocking string
			IsLinkPreload                                                         bool
			Initiator                                                             struct{ Type, URL string }
		}
	}](e)
	if !ok {
		return
	}
	d := a.Data
	r := c.request(d.RequestID, e.TS)
	if r == nil {
		return
	}
	r.sends.add(e.TS)
	r.ts = min(r.ts, e.TS)
	r.url, r.frame, r.kind, r.priority, r.hint, r.blocking = clip(d.URL), d.Frame, d.ResourceType, d.Priority,
		d.FetchPriorityHint, d.RenderBlocking
	r.preload, r.initiator, r.initiatorURL = d.IsLinkPreload, d.Initiator.Type, clip(d.Initiator.URL)
}

func (c *collected) response(e *Event) {
	a, ok := args[struct {
		Data struct {
			requestID
			MimeType, Protocol           string
			StatusCode                   int
			FromCache, FromServiceWorker bool
			Headers                      []header
			Timing                       *struct{ RequestTime, SendEnd, ReceiveHeadersStart, ReceiveHeadersEnd float64 }
		}
	}](e)
	if !ok {
		return
	}
	d := a.Data
	r := c.requests[d.RequestID]
	if r == nil {
		return
	}
	r.mime, r.protocol, r.status, r.worker = d.MimeType, d.Protocol, d.StatusCode, d.FromServiceWorker
	r.cached = r.cached || d.FromCache
	r.headers = d.Headers[:min(len(d.Headers), 100)]
	for i := range r.headers {
		r.headers[i].Value = clip(r.headers[i].Value)
	}
	if t := d.Timing; t != nil {
		r.timed, r.requestTime, r.sendEnd, r.firstByte = true, t.RequestTime, t.SendEnd, t.ReceiveHeadersStart
		if r.firstByte <= 0 {
			r.firstByte = t.ReceiveHeadersEnd
		}
	}
}

func (c *collected) markedCached(e *Event) {
	a, _ := args[struct{ Data requestID }](e)
	if r := c.requests[a.Data.RequestID]; r != nil {
		r.cached = true
	}
}

func (c *collected) finished(e *Event) {
	a, ok := args[struct {
		Data struct {
			requestID
			FinishTime                           float64
			DecodedBodyLength, EncodedDataLength int64
		}
	}](e)
	r := c.requests[a.Data.RequestID]
	if !ok || r == nil {
		return
	}
	r.finish = e.TS
	if a.Data.FinishTime > 0 {
		r.finish = int64(a.Data.FinishTime * 1e6)
	}
	r.decoded, r.encoded = a.Data.DecodedBodyLength, a.Data.EncodedDataLength
}

func (c *collected) priority(e *Event) {
	a, _ := args[struct {
		Data struct {
			requestID
			Priority string
		}
	}](e)
	if r := c.requests[a.Data.RequestID]; r != nil {
		r.priority = a.Data.Priority
	}
}

func (c *collected) blockingChange(e *Event) {
	a, _ := args[struct {
		Data struct {
			requestID
			RenderBlocking string
		}
	}](e)
	if r := c.requests[a.Data.RequestID]; r != nil {
		r.blocking = a.Data.RenderBlocking
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
	if !r.timed {
		return 0
	}
	return int64(r.requestTime*1e6 + r.firstByte*1000)
}

func (r *request) header(name string) string {
	for _, h := range r.headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
