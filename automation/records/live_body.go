package records

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// MaxBody bounds the bodies that are fetched from Chrome, in bytes.
const MaxBody = 8 << 20

// maxLast bounds the body that is kept for further parts of it, in bytes.
const maxLast = 1 << 20

// bodyTime is how long Chrome may take to return a body. For some responses that no script reads, Chrome never
// answers.
const bodyTime = 5 * time.Second

// body is a body that was fetched.
type body struct {
	id   int
	data []byte
}

// RecordedRequest says what a caller wants to know about a request.
type RecordedRequest struct {
	ID     int
	Offset int // where in the response's body the part begins

	// RequestFile and ResponseFile are the paths under which to save the bodies; "" saves nothing. Save writes a file
	// and returns its actual path.
	RequestFile, ResponseFile string
	Save                      func(ctx context.Context, path, extension string, data []byte) (saved string, err error)
}

// Request returns one request with its headers and bodies. If a body isn't available, that is no error; the answer
// says why.
func (r *Records) Request(ctx context.Context, a RecordedRequest) (*RequestDetail, error) {
	r.look()
	request, err := r.tab.Request(a.ID)
	d := &RequestDetail{Request: request, Redirects: r.tab.Redirects(a.ID)}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if origin := Origin(request.URL); origin != "" && r.permits != nil && !r.permits(origin) {
		return nil, fmt.Errorf("reqid %d went to %s, which is %s", a.ID, origin, names.ByRules)
	}
	if request.Sent.HasBody {
		if d.RequestBody, err = r.part(ctx, a.RequestFile, ".network-request", a, 0, "",
			func() ([]byte, error) { return r.sent(ctx, &request) }); err != nil {
			return nil, err
		}
	}
	d.ResponseBody, err = r.part(ctx, a.ResponseFile, ".network-response", a, a.Offset, request.Response.MIME,
		func() ([]byte, error) { return r.response(ctx, &request) })
	return d, err
}

// part returns a part of a body, or saves the whole body.
func (r *Records) part(ctx context.Context, path, extension string, a RecordedRequest, offset int, mime string,
	get func() ([]byte, error)) (*BodyPart, error) {
	data, err := get()
	if none, ok := errors.AsType[*missing](err); ok {
		return &BodyPart{Missing: none.why}, nil
	}
	if err != nil {
		return nil, err
	}
	if path != "" {
		saved, err := a.Save(ctx, path, extension, data)
		return &BodyPart{SavedTo: saved, Total: len(data)}, err
	}
	p, err := Part(data, mime, offset)
	return &p, err
}

// missing says why a body isn't available.
type missing struct{ why string }

func (m *missing) Error() string { return m.why }

func none(format string, args ...any) error { return &missing{fmt.Sprintf(format, args...)} }

// sent returns a request's body.
func (r *Records) sent(ctx context.Context, q *Request) ([]byte, error) {
	if q.Sent.Body != "" {
		return []byte(q.Sent.Body), nil
	}
	var reply struct {
		PostData      string
		Base64Encoded bool
	}
	if err := r.fetch(ctx, "Network.getRequestPostData", q, &reply); err != nil {
		return nil, err
	}
	return decoded(reply.PostData, reply.Base64Encoded)
}

// response returns a response's body.
func (r *Records) response(ctx context.Context, q *Request) ([]byte, error) {
	r.mu.Lock()
	last := r.last
	r.mu.Unlock()
	if last.id == q.ID {
		return last.data, nil
	}
	switch {
	case q.Stream != nil && q.Type == "websocket":
		return nil, none("none; a WebSocket has messages.")
	case q.State == Redirected:
		return nil, none("none is kept of a redirect.")
	case q.State == Pending && q.Status == 0:
		return nil, none("none yet; there is no response so far.")
	case q.State == Pending:
		return nil, none("not complete yet; %d bytes have come so far. Chrome gives bodies that have ended only.",
			q.Response.Bytes)
	case q.Response.Bytes > MaxBody:
		return nil, none("not fetched: it has %d bytes, and %d are the most.", q.Response.Bytes, MaxBody)
	case q.Status == 0:
		return nil, none("none; there was no response.")
	}
	var reply struct {
		Body          string
		Base64Encoded bool
	}
	if err := r.fetch(ctx, "Network.getResponseBody", q, &reply); err != nil {
		return nil, err
	}
	data, err := decoded(reply.Body, reply.Base64Encoded)
	if err == nil && len(data) <= maxLast {
		r.mu.Lock()
		r.last = body{q.ID, data}
		r.mu.Unlock()
	}
	return data, err
}

func decoded(text string, inBase64 bool) ([]byte, error) {
	if !inBase64 {
		return []byte(text), nil
	}
	return base64.StdEncoding.DecodeString(text)
}

// fetch asks Chrome for a body.
func (r *Records) fetch(ctx context.Context, method string, q *Request, reply any) error {
	short, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	params := map[string]any{"requestId": q.cdp}
	err := r.page.Call(short, cdpclient.SessionID(q.session), method, params, reply)
	if errors.Is(err, cdpclient.ErrSessionGone) { // the frame's process has ended; Chrome keeps its bodies with the tab
		err = r.page.Call(short, "", method, params, reply)
	}
	var refused *cdpclient.Error
	var dialog *page.DialogOpen
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return none("Chrome doesn't have it: it was empty, never read by the page, or gave way to newer ones (%s).",
			refused.Message)
	case errors.As(err, &dialog):
		return none("%v", err)
	case ctx.Err() == nil && short.Err() != nil:
		return none("Chrome gave none within %s; the page may not have read it.", bodyTime)
	}
	return err
}
