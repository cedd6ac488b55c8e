package mcpserver

import (
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// get opens a session's event stream, which carries list_changed. It replaces an earlier stream of the session,
// because the connection of that one has most often broken.
func (h *httpHandler) get(w http.ResponseWriter, req *http.Request) {
	version := req.Header.Get(mcp.HeaderProtocolVersion)
	if refused := goodVersion(version); refused != nil {
		refused.write(w, nil)
		return
	}
	if mcp.IsModernProtocol(version) {
		w.Header().Set("Allow", http.MethodPost)
		refusef(http.StatusMethodNotAllowed, "protocol %s has no GET: ask for notifications by subscriptions/listen",
			version).write(w, nil)
		return
	}
	if !accepts(req, "text/event-stream") {
		refusef(http.StatusNotAcceptable,
			"the event stream is text/event-stream, which the Accept header doesn't let through").write(w, nil)
		return
	}
	hs, refused := h.sessions.use(req.Header.Get(mcp.HeaderSessionID))
	if refused != nil {
		refused.write(w, nil)
		return
	}
	defer h.sessions.releaseIfGone(hs)
	defer h.sessions.release(hs)
	lastID := req.Header.Get(mcp.HeaderLastEventID)
	if wire.IsCallEvent(lastID) {
		h.resume(w, req, hs, lastID)
		return
	}
	if stopping(req).Err() != nil {
		refuseStopping(w).write(w, nil)
		return
	}
	stream := hs.client.Conn.Attach(lastID)
	defer hs.client.Conn.Detach(stream)
	hs.client.Conn.Ready() // a client that listens is initialized
	if err := follow(newSSE(w), req, hs.session, stream, nil); err != nil {
		hs.log.Debug("the event stream broke", "err", err)
	}
}

// resume continues the stream of a request whose connection broke.
func (h *httpHandler) resume(w http.ResponseWriter, req *http.Request, hs *httpSession, lastID string) {
	r, reader := hs.client.Conn.Resume(lastID)
	if r == nil {
		refusef(http.StatusBadRequest, "nothing is left of the stream that the event %s was on: an answer is kept "+
			"for %v, and %d of them at a time; send the request again", sanitize.Text(lastID, 64), wire.KeptFor,
			wire.KeptStreams).write(w, nil)
		return
	}
	a := answering{sess: hs.session, request: r, reader: reader, events: newSSE(w)}
	if err := a.events.begin(); err != nil {
		h.left(&a)
		return
	}
	h.answer(&a, req)
}

// follow writes a session's events until the client closes the stream or opens another one, the session ends, the
// listener stops, or last is closed. After last is closed, it still writes the events that are there.
func follow(events *sse, req *http.Request, sess *session, stream *wire.EventStream, last <-chan struct{}) error {
	if err := events.begin(); err != nil {
		return err
	}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	over := false
	stops := stopping(req).Done()
	if last != nil { // the request ends then, and closes last
		stops = nil
	}
	for {
		for batch := sess.client.Conn.Next(stream); len(batch) > 0; batch = sess.client.Conn.Next(stream) {
			if err := events.send(batch...); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
		select {
		case <-stream.Wake:
		case <-last:
			over = true
		case <-alive.C:
			if err := events.comment(); err != nil {
				return err
			}
		case <-stream.Replaced:
			return nil
		case <-stops:
			return nil
		case <-req.Context().Done():
			return nil
		case <-sess.ctx.Done():
			if last == nil {
				return nil
			}
			<-last // the request ends with its session
			over = true
		}
	}
}

// delete ends a session.
func (h *httpHandler) delete(w http.ResponseWriter, req *http.Request) {
	version := req.Header.Get(mcp.HeaderProtocolVersion)
	if mcp.IsModernProtocol(version) {
		w.Header().Set("Allow", http.MethodPost)
		refusef(http.StatusMethodNotAllowed, "protocol %s has no sessions that could be ended", version).write(w, nil)
		return
	}
	hs, refused := h.sessions.use(req.Header.Get(mcp.HeaderSessionID))
	if refused != nil {
		refused.write(w, nil)
		return
	}
	h.sessions.drop(hs, wire.ErrSessionOver)
	h.sessions.release(hs)
	w.WriteHeader(http.StatusNoContent)
}
