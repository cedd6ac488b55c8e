package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

// post takes one message from a client.
func (h *httpServer) post(w http.ResponseWriter, req *http.Request) {
	body, refused := h.body(w, req)
	if refused != nil {
		refused.write(w, nil)
		return
	}
	m, err := jsonrpc.Parse(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, jsonrpc.Failure(m.ID, err))
		return
	}
	p, err := readToolParams(&m)
	if err != nil && p.version == "" {
		p.version = metaVersion(&m)
	}
	version := req.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case mcp.IsModernProtocol(version) || mcp.IsModernProtocol(p.version):
		h.postSessionless(w, req, &m, p.version)
		return
	case m.Method == "initialize" && m.ID != nil:
		h.initialize(w, req, &m)
		return
	}
	if refused := goodVersion(version); refused != nil {
		refused.write(w, m.ID)
		return
	}
	hs, refused := h.sessions.use(req.Header.Get(mcp.HeaderSessionID))
	if refused != nil {
		refused.write(w, m.ID)
		return
	}
	defer h.sessions.release(hs)
	if m.Response || m.ID == nil {
		hs.receive(m.Raw)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	h.serve(w, req, hs.session, &m)
}

// metaVersion is the protocol version that a message names in _meta.
func metaVersion(m *jsonrpc.Message) string {
	var p toolParams
	for name, value := range jsonrpc.Members(m.Params) {
		if name == "_meta" {
			p.readMeta(value)
		}
	}
	return p.version
}

// body reads the message.
func (h *httpServer) body(w http.ResponseWriter, req *http.Request) ([]byte, *refusal) {
	if media, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, refusef(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit))
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, int64(h.options.MaxBody)))
	if err != nil { // the rest of it is not waited for
		w.Header().Set("Connection", "close")
		_ = control.SetReadDeadline(time.Now().Add(refusedLimit))
	} else { // from here on a read only notices that the client is gone
		_ = control.SetReadDeadline(time.Time{})
	}
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return nil, refusef(http.StatusRequestEntityTooLarge, "the message is longer than %d bytes", tooLong.Limit)
	case err != nil:
		return nil, refusef(http.StatusBadRequest, "the message did not arrive as a whole: %v", err)
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return nil, refusef(http.StatusBadRequest, "the body must be a JSON-RPC message")
	}
	return body, nil
}

// goodVersion refuses protocol versions that we don't speak. Clients of
// 2025-03-26 name none.
func goodVersion(version string) *refusal {
	if version == "" || mcp.IsValidProtocolVersion(version) {
		return nil
	}
	return refusef(http.StatusBadRequest, "unsupported protocol version %s in the %s header; this server speaks %s",
		cut(version, 40), mcp.HeaderProtocolVersion, strings.Join(mcp.ValidProtocolVersions, ", "))
}

// initialize begins a session.
func (h *httpServer) initialize(w http.ResponseWriter, req *http.Request, m *jsonrpc.Message) {
	hs, refused := h.sessions.open()
	if refused != nil {
		refused.write(w, m.ID)
		return
	}
	defer h.sessions.release(hs)
	w.Header().Set(mcp.HeaderSessionID, hs.key)
	if h.serve(w, req, hs.session, m) != 0 {
		h.sessions.drop(hs, ErrSessionOver)
	}
}

// serve answers one request, by a JSON response or, if there is progress to
// tell before or it takes a while, by an event stream. It returns the code of the
// JSON-RPC error that was the answer, or 0.
func (h *httpServer) serve(w http.ResponseWriter, req *http.Request, sess *session, m *jsonrpc.Message) (code int) {
	d := newDirect()
	d.streams = accepts(req, "text/event-stream")
	d.resumable = !sess.out.sessionless && asksPages(m.Method)
	r := &request{id: m.ID, direct: d}
	r.ctx, r.cancel = context.WithCancelCause(sess.ctx)
	if err := sess.out.begin(r); err != nil {
		r.cancel(nil)
		status := http.StatusBadRequest
		if err.Code == jsonrpc.CodeServer {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, jsonrpc.Failure(m.ID, err))
		return err.Code
	}
	if !d.resumable {
		gone := context.AfterFunc(req.Context(), func() { sess.out.abandoned(r) })
		defer gone()
	}
	if m.Method != "ping" && m.Method != "initialize" {
		sess.out.ready()
	}
	ready := d.ready
	if !asksPages(m.Method) {
		sess.serve(r, m)
	} else {
		go sess.serve(r, m)
	}
	return h.answer(newSSE(w), req, sess, r, ready)
}

// answer writes what there is for r to one response, until its answer is written,
// the connection breaks, or another response takes over.
func (h *httpServer) answer(events *sse, req *http.Request, sess *session, r *request, ready chan struct{}) (code int) {
	defer h.left(sess, r, ready)
	d := r.direct
	gone := req.Context().Done()
	if !d.resumable {
		gone = nil // the request is cancelled, and ends by that
	}
	var prime <-chan time.Time
	if d.resumable && d.streams && primes(req) && !events.begun {
		timer := time.NewTimer(primeAfter)
		defer timer.Stop()
		prime = timer.C
	}
	alive := time.NewTicker(KeepAlive)
	defer alive.Stop()
	for {
		var err error
		select {
		case _, reading := <-ready:
			if !reading {
				return 0
			}
		case <-prime:
			prime = nil
			if !events.begun && events.send(sess.out.prime(r)) != nil {
				return 0
			}
			continue
		case <-alive.C:
			if events.begun && events.comment() != nil && d.resumable {
				return 0
			}
			continue
		case <-gone:
			return 0
		}
		w := sess.out.collect(r, ready, events.begun)
		if len(w.events) > 0 {
			err = events.send(w.events...)
		}
		switch {
		case err != nil && d.resumable:
			return 0
		case err != nil && !w.over:
			sess.out.abandoned(r)
		case !w.over:
		case w.answer == nil && (len(w.events) > 0 || events.begun):
			return w.code
		case w.answer == nil: // cancelled: there is no answer to send
			if d.streams {
				_ = events.begin()
			} else {
				events.w.WriteHeader(http.StatusAccepted)
			}
			return w.code
		default:
			status := http.StatusOK
			if sess.out.sessionless {
				status = modernStatus(w.code)
			}
			writeJSON(events.w, status, w.answer.Frame)
			_ = events.control.Flush() // written before list_changed may go out
			return w.code
		}
	}
}

// primes says whether a client takes an event without data for what it is:
// protocols before 2025-11-25 don't know it, and some of their clients take it for
// a broken message.
func primes(req *http.Request) bool {
	return req.Header.Get(mcp.HeaderProtocolVersion) >= "2025-11-25"
}

// left lets go of the list_changed that waited for the answer to r.
func (h *httpServer) left(sess *session, r *request, ready chan struct{}) {
	sess.out.left(r, ready)
	if sess.out.sessionless {
		h.server.sessionlessAnswered(r)
	}
}
