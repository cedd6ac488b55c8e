package records

import (
	"encoding/json"
	"fmt"
	"strings"
)

// openRequests finds the ring's entries by CDP's request ids.
type openRequests struct {
	steps map[string][]int        // the ids of the redirect steps of each request, first to last
	early map[string][]extraEvent // headers whose events came before their request's
}

// extraEvent has headers from the network, which Chrome reports in events of their own.
type extraEvent struct {
	headers  json.RawMessage
	response bool
	status   int
}

func (o *openRequests) init() {
	o.steps, o.early = map[string][]int{}, map[string][]extraEvent{}
}

// forget removes requests that the ring no longer has.
func (o *openRequests) forget(r *ring[*request]) {
	for id, steps := range o.steps {
		if r.get(steps[len(steps)-1]) == nil {
			delete(o.steps, id)
		}
	}
	clear(o.early)
}

type httpRequest struct {
	URL, URLFragment, Method, InitialPriority, PostData string
	HasPostData                                         bool
	Headers                                             json.RawMessage
}

type httpResponse struct {
	URL, StatusText, MimeType, Protocol, RemoteIPAddress string
	Status, RemotePort                                   int
	Headers, RequestHeaders                              json.RawMessage
	FromDiskCache, FromServiceWorker, FromPrefetchCache  bool
	EncodedDataLength                                    float64
	Timing                                               *resourceTiming
}

type initiator struct {
	Type, URL  string
	LineNumber *float64
	Stack      *stackTrace
}

func (t *Tab) requestWillBeSent(p *struct {
	RequestID, LoaderID, Type, FrameID string
	Request                            httpRequest
	Timestamp, WallTime                float64
	Initiator                          initiator
	RedirectHasExtraInfo               bool
	RedirectResponse                   *httpResponse
}, session string) {
	from := 0
	if before := t.step(p.RequestID); before != nil {
		if p.RedirectResponse == nil { // the event was reported twice
			return
		}
		r := before.value
		r.answered(p.RedirectResponse)
		r.State, r.ended = Redirected, p.Timestamp
		t.noExtra(p.RequestID, before, !p.RedirectHasExtraInfo)
		from = before.id
	}
	r := &request{loader: p.LoaderID, started: p.Timestamp}
	r.cdp, r.session, r.Started = p.RequestID, session, p.WallTime*1000
	r.Method, r.URL, r.State = clip(p.Request.Method, 100), clip(p.Request.URL+p.Request.URLFragment, maxURL), Pending
	r.Type = strings.ToLower(p.Type)
	if r.Type == "" {
		r.Type = "other"
	}
	r.RedirectedFrom = from
	if len(p.Request.PostData) > maxPost { // Chrome can still return it
		p.Request.PostData = ""
	}
	r.Sent = Sent{Body: strings.Clone(p.Request.PostData), HasBody: p.Request.HasPostData,
		Priority: p.Request.InitialPriority, Initiator: p.Initiator.text(t.redacted)}
	r.sentHeaders.set(p.Request.Headers, false)
	id := t.addRequest(r)
	if from > 0 {
		if before := t.requests.get(from); before != nil {
			before.value.RedirectedTo = id
			t.resized(before)
		}
	}
}

// addRequest adds a request, and gives it the headers that came before it.
func (t *Tab) addRequest(r *request) (id int) {
	s := t.requests.add(t.current().Seq, r.size(), r, t.lostRequest)
	s.of = t.SessionOrigins
	id, r.ID = s.id, s.id
	t.open.steps[r.cdp] = append(t.open.steps[r.cdp], id)
	if len(t.open.steps) > 2*t.bounds.Requests.Entries {
		t.open.forget(&t.requests)
	}
	early := t.open.early[r.cdp]
	delete(t.open.early, r.cdp)
	for _, e := range early {
		t.extra(r.cdp, e)
	}
	return id
}

func (t *Tab) resized(s *slot[*request]) { t.requests.resize(s, s.value.size(), t.lostRequest) }

// step returns the latest step of a request, or nil if the ring has none.
func (t *Tab) step(cdp string) *slot[*request] {
	steps := t.open.steps[cdp]
	if len(steps) == 0 {
		return nil
	}
	return t.requests.get(steps[len(steps)-1])
}

// text says where a request was begun, with addresses as redact returns them.
func (i *initiator) text(redact func(url string) string) string {
	at, line := i.URL, -1
	if i.LineNumber != nil {
		line = int(*i.LineNumber) + 1
	}
	for s := i.Stack; s != nil && at == ""; s = s.Parent {
		if len(s.CallFrames) > 0 {
			at, line = s.CallFrames[0].URL, s.CallFrames[0].LineNumber+1
		}
	}
	at = redact(at)
	switch {
	case at == "":
		return i.Type
	case line > 0:
		return fmt.Sprintf("%s %s:%d", i.Type, clip(at, 500), line)
	}
	return i.Type + " " + clip(at, 500)
}

func (t *Tab) requestExtra(p *struct {
	RequestID string
	Headers   json.RawMessage
}, _ string) {
	t.extra(p.RequestID, extraEvent{headers: p.Headers})
}

func (t *Tab) responseExtra(p *struct {
	RequestID  string
	Headers    json.RawMessage
	StatusCode int
}, _ string) {
	t.extra(p.RequestID, extraEvent{headers: p.Headers, response: true, status: p.StatusCode})
}

// extra gives headers to the first step that has none yet. Such headers come in the order of the steps, but before or
// after them.
func (t *Tab) extra(cdp string, e extraEvent) {
	for _, id := range t.open.steps[cdp] {
		s := t.requests.get(id)
		if s == nil || s.value.noExtra {
			continue
		}
		block := &s.value.sentHeaders
		if e.response {
			block = &s.value.gotHeaders
		}
		if block.extra {
			continue
		}
		block.set(e.headers, true)
		if e.response && s.value.Status == 0 {
			s.value.Status = e.status
		}
		t.resized(s)
		return
	}
	const most = 8 // per request; headers without a request are dropped with the document
	if waiting := t.open.early[cdp]; len(waiting) < most && len(t.open.early) < 500 {
		if len(e.headers) > maxHeaders {
			e.headers = cutHeaders(e.headers)
		}
		t.open.early[cdp] = append(waiting, e)
	}
}

// noExtra records that a step gets no headers from the network, so that the next headers belong to the next step.
func (t *Tab) noExtra(cdp string, s *slot[*request], none bool) {
	if !none {
		return
	}
	r := s.value
	r.noExtra = true
	var move []extraEvent
	if r.sentHeaders.extra {
		move = append(move, extraEvent{headers: r.sentHeaders.raw})
		r.sentHeaders = headerBlock{}
	}
	if r.gotHeaders.extra {
		move = append(move, extraEvent{headers: r.gotHeaders.raw, response: true})
		r.gotHeaders = headerBlock{}
	}
	for _, e := range move {
		t.extra(cdp, e)
	}
}

func (t *Tab) responseReceived(p *struct {
	RequestID, Type string
	Response        httpResponse
}, session string) {
	s := t.step(p.RequestID)
	if s == nil {
		return
	}
	s.value.session = session
	if p.Type != "" {
		s.value.Type = strings.ToLower(p.Type)
	}
	s.value.answered(&p.Response)
	t.resized(s)
}

// answered records a response's status and headers.
func (r *request) answered(p *httpResponse) {
	r.Status, r.StatusText = p.Status, clip(p.StatusText, 200)
	r.Response.MIME, r.Response.Protocol = clip(p.MimeType, 200), p.Protocol
	if p.RemoteIPAddress != "" {
		r.Response.Remote = fmt.Sprintf("%s:%d", p.RemoteIPAddress, p.RemotePort)
	}
	r.Response.Transferred = int64(p.EncodedDataLength)
	switch {
	case p.FromServiceWorker:
		r.Response.From = "service worker"
	case p.FromPrefetchCache:
		r.Response.From = "prefetch cache"
	case p.FromDiskCache:
		r.Response.From = "disk cache"
	}
	r.gotHeaders.set(p.Headers, false)
	r.sentHeaders.set(p.RequestHeaders, true)
	if p.Timing != nil {
		r.timing = p.Timing
	}
}

func (t *Tab) servedFromCache(p *struct{ RequestID string }, _ string) {
	if s := t.step(p.RequestID); s != nil {
		s.value.Response.From = "memory cache"
	}
}

func (t *Tab) dataReceived(p *struct {
	RequestID                     string
	DataLength, EncodedDataLength int64
}, _ string) {
	if s := t.step(p.RequestID); s != nil {
		s.value.Response.Bytes += p.DataLength
		s.value.Response.Transferred += p.EncodedDataLength
	}
}

func (t *Tab) loadingFinished(p *struct {
	RequestID         string
	Timestamp         float64
	EncodedDataLength float64
}, _ string) {
	if s := t.step(p.RequestID); s != nil {
		s.value.State, s.value.ended = Finished, p.Timestamp
		s.value.Response.Transferred = int64(p.EncodedDataLength)
	}
}

func (t *Tab) loadingFailed(p *struct {
	RequestID, Type, ErrorText, BlockedReason string
	Timestamp                                 float64
	Canceled                                  bool
	CorsErrorStatus                           *struct{ CorsError, FailedParameter string }
}, _ string) {
	s := t.step(p.RequestID)
	if s == nil {
		return
	}
	r := s.value
	r.ended = p.Timestamp
	if r.State == Canceled { // the request became a download
		return
	}
	r.State, r.Failure = Failed, clip(p.ErrorText, 500)
	switch {
	case p.CorsErrorStatus != nil:
		r.State, r.Failure = Blocked, "blocked by CORS: "+p.CorsErrorStatus.CorsError
		if with := p.CorsErrorStatus.FailedParameter; with != "" {
			r.Failure += " (" + clip(with, 200) + ")"
		}
	case p.BlockedReason != "":
		r.State, r.Failure = Blocked, "blocked: "+p.BlockedReason
	case p.Canceled:
		r.State, r.Failure = Canceled, "canceled by the page or a navigation"
	}
	t.resized(s)
}
