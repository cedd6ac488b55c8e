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
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// post handles one message from a client.
func (h *httpHandler) post(w http.ResponseWriter, req *http.Request) {
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
	if m.ID != nil && !m.Response && stopping(req).Err() != nil {
		refuseStopping(w).write(w, m.ID)
		return
	}
	inBody, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), mcp.MetaKeyProtocolVersion))
	version := req.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case mcp.IsModernProtocol(version) || mcp.IsModernProtocol(inBody):
		h.postSessionless(w, req, &m, inBody)
		return
	case mcp.MCPMethod(m.Method) == mcp.MethodInitialize && m.ID != nil:
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

// asksPages reports whether a request may have to wait for a page.
func asksPages(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
		mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return true
	}
	return false
}

// body reads the message.
func (h *httpHandler) body(w http.ResponseWriter, req *http.Request) ([]byte, *refusal) {
	if media, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, refusef(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit))
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, int64(h.options.MaxBody)))
	if err != nil { // don't wait for the rest of it
		w.Header().Set("Connection", "close")
		_ = control.SetReadDeadline(time.Now().Add(refusedLimit))
	} else { // from here on, reading only notices that the client is gone
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

// goodVersion refuses protocol versions that this server doesn't support. Clients of 2025-03-26 name none.
func goodVersion(version string) *refusal {
	if version == "" || mcp.IsValidProtocolVersion(version) {
		return nil
	}
	return refusef(http.StatusBadRequest, "unsupported protocol version %s in the %s header; this server speaks %s",
		sanitize.Text(version, 40), mcp.HeaderProtocolVersion, strings.Join(mcp.ValidProtocolVersions, ", "))
}

// initialize begins a session.
func (h *httpHandler) initialize(w http.ResponseWriter, req *http.Request, m *jsonrpc.Message) {
	hs, refused := h.sessions.open()
	if refused != nil {
		refused.write(w, m.ID)
		return
	}
	defer h.sessions.release(hs)
	w.Header().Set(mcp.HeaderSessionID, hs.key)
	if h.serve(w, req, hs.session, m) != 0 {
		h.sessions.drop(hs, wire.ErrSessionOver)
	}
}

// serve answers one request. It answers with a JSON response or, if there is progress to send first or the answer
// takes a while, with an event stream. It returns the code of the JSON-RPC error that was the answer, or 0.
func (h *httpHandler) serve(w http.ResponseWriter, req *http.Request, sess *session, m *jsonrpc.Message) (code int) {
	conn := sess.client.Conn
	r, reader := wire.NewDirectRequest(sess.ctx, m.ID, accepts(req, "text/event-stream"),
		!sess.client.Sessionless && asksPages(m.Method))
	if err := conn.Begin(r); err != nil {
		r.Cancel(nil)
		status := http.StatusBadRequest
		if err.Code == jsonrpc.CodeServer {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, jsonrpc.Failure(m.ID, err))
		return err.Code
	}
	if !r.Resumable() {
		gone := context.AfterFunc(req.Context(), func() { conn.Abandoned(r) })
		defer gone()
	}
	if mcp.MCPMethod(m.Method) != mcp.MethodPing && mcp.MCPMethod(m.Method) != mcp.MethodInitialize {
		conn.Ready()
	}
	if !asksPages(m.Method) {
		sess.serve(r, m)
	} else {
		go sess.serve(r, m)
	}
	a := answering{sess: sess, request: r, reader: reader, events: newSSE(w)}
	code = h.answer(&a, req)
	if !r.Resumable() && req.Context().Err() != nil { // the client left before the answer was written
		conn.Lost(r)
	}
	return code
}

// answering is a response that is being written to a request.
type answering struct {
	sess    *session
	request *wire.Request
	reader  wire.Wakeup
	events  *sse
}

// answer writes everything that there is for a request to one response, until the answer is written, the connection
// breaks, or another response takes over.
func (h *httpHandler) answer(a *answering, req *http.Request) (code int) {
	defer h.left(a)
	gone := req.Context().Done()
	if !a.request.Resumable() {
		gone = nil // the request is cancelled, which ends it
	}
	prime, stop := a.primeAfter(req)
	defer stop()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		select {
		case _, reading := <-a.reader:
			if !reading {
				return 0
			}
			if code, over := a.write(); over {
				return code
			}
		case <-prime:
			prime = nil
			if !a.events.begun && a.events.send(a.sess.client.Conn.Prime(a.request)) != nil {
				return 0
			}
		case <-alive.C:
			if a.events.begun && a.events.comment() != nil && a.request.Resumable() {
				return 0
			}
		case <-gone:
			return 0
		}
	}
}

// primeAfter returns a channel that receives when the event stream is to begin with an id with which the client can
// resume. The channel is nil if the stream isn't to begin that way.
func (a *answering) primeAfter(req *http.Request) (now <-chan time.Time, stop func()) {
	if !a.request.Resumable() || !a.request.Streams() || !primes(req) || a.events.begun {
		return nil, func() {}
	}
	timer := time.NewTimer(primeAfter)
	return timer.C, func() { timer.Stop() }
}

// write writes what there is now. over reports that nothing follows. code is the code of the error that is the
// answer, or 0.
func (a *answering) write() (code int, over bool) {
	conn := a.sess.client.Conn
	w := conn.Collect(a.request, a.reader, a.events.begun)
	if len(w.Events) > 0 {
		if err := a.events.send(w.Events...); err != nil && a.request.Resumable() {
			return 0, true
		} else if err != nil && !w.Over {
			conn.Abandoned(a.request)
			return 0, false
		}
	}
	switch {
	case !w.Over:
		return 0, false
	case w.Answer != nil:
		status := http.StatusOK
		if a.sess.client.Sessionless {
			status = modernStatus(w.Code)
		}
		writeJSON(a.events.w, status, *w.Answer)
		_ = a.events.control.Flush() // it must be written before list_changed may be sent
	case len(w.Events) > 0 || a.events.begun:
	case a.request.Streams(): // cancelled: there is no answer to send
		_ = a.events.begin()
	default:
		a.events.w.WriteHeader(http.StatusAccepted)
	}
	return w.Code, true
}

// primes reports whether a client understands an event without data. Protocols before 2025-11-25 don't have such
// events, and some of their clients take one for a broken message.
func primes(req *http.Request) bool {
	return req.Header.Get(mcp.HeaderProtocolVersion) >= "2025-11-25"
}

// left releases the list_changed that waited for the answer.
func (h *httpHandler) left(a *answering) {
	a.sess.client.Conn.ResponseGone(a.request, a.reader)
	if a.sess.client.Sessionless {
		h.server.answered(a.request)
	}
}
