package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// post takes one message from a client.
func (h *httpServer) post(w http.ResponseWriter, req *http.Request) {
	body, refused := h.body(w, req)
	if refused != nil {
		refused.write(w, nil)
		return
	}
	m, err := parseMessage(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, reply{err: err}.envelope(m.id))
		return
	}
	p, err := m.toolParams()
	if err != nil && p.version == "" {
		p.version = metaVersion(&m)
	}
	version := req.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case mcp.IsModernProtocol(version) || mcp.IsModernProtocol(p.version):
		h.postSessionless(w, req, &m, p.version)
		return
	case m.method == "initialize" && m.id != nil:
		h.initialize(w, req, &m)
		return
	}
	if refused := goodVersion(version); refused != nil {
		refused.write(w, m.id)
		return
	}
	hs, refused := h.sessions.use(req.Header.Get(mcp.HeaderSessionID))
	if refused != nil {
		refused.write(w, m.id)
		return
	}
	defer h.sessions.release(hs)
	if m.response || m.id == nil {
		hs.receive(m.line)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	h.serve(w, req, hs.session, &m)
}

// metaVersion is the protocol version that a message names in _meta.
func metaVersion(m *message) string {
	var p toolParams
	members(m.params, func(name string, value json.RawMessage) {
		if name == "_meta" {
			p.readMeta(value)
		}
	})
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
	// From here on a read only notices that the client is gone.
	_ = control.SetReadDeadline(time.Time{})
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
func (h *httpServer) initialize(w http.ResponseWriter, req *http.Request, m *message) {
	hs, refused := h.sessions.open()
	if refused != nil {
		refused.write(w, m.id)
		return
	}
	defer h.sessions.release(hs)
	w.Header().Set(mcp.HeaderSessionID, hs.key)
	if h.serve(w, req, hs.session, m) != 0 {
		h.sessions.drop(hs, ErrSessionOver)
	}
}

// serve answers one request, by a JSON response or, if there is progress to
// tell before, by an event stream. It returns the code of the JSON-RPC error
// that was the answer, or 0.
func (h *httpServer) serve(w http.ResponseWriter, req *http.Request, sess *session, m *message) (code int) {
	events, streams := newSSE(w), accepts(req, "text/event-stream")
	r := &request{id: m.id, direct: newDirect()}
	r.direct.streams = streams
	r.ctx, r.cancel = context.WithCancelCause(sess.ctx)
	if err := sess.out.begin(r); err != nil {
		r.cancel(nil)
		status := http.StatusBadRequest
		if err.Code == codeBusy {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, reply{err: err}.envelope(m.id))
		return err.Code
	}
	defer h.handed(sess, r)
	gone := context.AfterFunc(req.Context(), func() { sess.out.abandoned(r) })
	defer gone()
	if m.method != "ping" && m.method != "initialize" {
		sess.out.ready()
	}
	if !asksPages(m.method) {
		sess.serve(r, m)
	} else {
		go sess.serve(r, m)
	}

	for {
		<-r.direct.ready
		before, answer, code, over := sess.out.collect(r)
		if len(before) > 0 && streams && events.send(before...) != nil {
			sess.out.abandoned(r)
		}
		switch {
		case !over:
		case answer == nil: // cancelled: there is no answer to send
			if streams {
				_ = events.begin()
			} else {
				w.WriteHeader(http.StatusAccepted)
			}
			return code
		case events.begun:
			_ = events.send(answer)
			return code
		default:
			status := http.StatusOK
			if sess.out.sessionless {
				status = modernStatus(code)
			}
			writeJSON(w, status, *answer)
			_ = events.control.Flush() // written before list_changed may go out
			return code
		}
	}
}

// handed lets go of the list_changed that waited for the answer to r.
func (h *httpServer) handed(sess *session, r *request) {
	sess.out.handed(r)
	if sess.out.sessionless {
		h.server.sessionlessAnswered(r)
	}
}
