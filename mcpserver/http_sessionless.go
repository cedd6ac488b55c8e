package mcpserver

import (
	"context"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// Protocol 2026-07-28 has no sessions over HTTP, so nothing distinguishes one client's requests from another's. Each
// request is therefore a session of its own, which sees all tabs and has read no earlier list. The hub can't keep a
// focus for such a client. So a hub in focus mode doesn't support that protocol over HTTP, and says which versions it
// does support; clients then begin a session with initialize.

// postSessionless handles a message of protocol 2026-07-28. version is the version that the message's _meta names.
func (h *httpHandler) postSessionless(w http.ResponseWriter, req *http.Request, m *jsonrpc.Message, version string) {
	if m.Method != "" && m.ID == nil { // a notification, which can't be about anything here
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if refused := h.soundModern(req, m, version); refused != nil {
		refused.write(w, m.ID)
		return
	}
	places, ctx := h.running, h.ctx
	if mcp.MCPMethod(m.Method) == mcp.MethodSubscriptionsListen {
		places = h.listening
		subscribed, end := context.WithCancelCause(ctx)
		defer end(nil)
		defer context.AfterFunc(stopping(req), func() { end(wire.ErrSessionOver) })()
		ctx = subscribed
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		refusef(http.StatusServiceUnavailable,
			"the server is busy: %d requests of this kind are running, which is its limit", cap(places)).write(w, m.ID)
		return
	}
	sess := h.server.connectHTTP(ctx, true)
	defer sess.close(wire.ErrSessionOver)
	if mcp.MCPMethod(m.Method) == mcp.MethodSubscriptionsListen {
		h.listen(w, req, sess, m)
		return
	}
	h.serve(w, req, sess, m)
}

// listen answers subscriptions/listen with an event stream. The stream carries the acknowledgement, list_changed and,
// at the end, the request's result.
func (h *httpHandler) listen(w http.ResponseWriter, req *http.Request, sess *session, m *jsonrpc.Message) {
	if !accepts(req, "text/event-stream") {
		refusef(http.StatusNotAcceptable, "subscriptions are answered by text/event-stream, which the Accept header "+
			"doesn't let through").write(w, m.ID)
		return
	}
	conn := sess.client.Conn
	r := wire.NewRequest(sess.ctx, m.ID)
	if err := conn.Begin(r); err != nil {
		r.Cancel(nil)
		writeJSON(w, http.StatusBadRequest, jsonrpc.Failure(m.ID, err))
		return
	}
	gone := context.AfterFunc(req.Context(), func() { conn.Abandoned(r) })
	defer gone()
	stream := conn.Attach("")
	defer conn.Detach(stream)
	served := make(chan struct{})
	go func() {
		sess.serve(r, m)
		close(served)
	}()
	if err := follow(newSSE(w), req, sess, stream, served); err != nil {
		sess.log.Debug("the subscription's stream broke", "err", err)
	}
	conn.Abandoned(r)
	<-served
}

// soundModern checks what protocol 2026-07-28 requires of HTTP requests: that the headers say the same as the body.
func (h *httpHandler) soundModern(req *http.Request, m *jsonrpc.Message, version string) *refusal {
	header := req.Header.Get(mcp.HeaderProtocolVersion)
	mismatch := func(format string, args ...any) *refusal {
		r := refusef(http.StatusBadRequest, format, args...)
		r.code = mcp.HEADER_MISMATCH
		return r
	}
	switch {
	case m.Response:
		return refusef(http.StatusBadRequest,
			"protocol %s has no requests to the client, so there is nothing to answer", mcp.ProtocolVersion20260728)
	case header == "":
		return mismatch("the %s header must name the protocol version that _meta names", mcp.HeaderProtocolVersion)
	case version == "":
		r := refusef(http.StatusBadRequest, "_meta must name the protocol version (%s), as the %s header does",
			mcp.MetaKeyProtocolVersion, mcp.HeaderProtocolVersion)
		r.code = jsonrpc.CodeInvalidParams
		return r
	case header != version:
		return mismatch("the %s header says %s, but _meta says %s", mcp.HeaderProtocolVersion,
			sanitize.Text(header, 40), sanitize.Text(version, 40))
	case req.Header.Get(mcp.HeaderLastEventID) != "":
		return mismatch("streams of protocol %s can't be resumed: send the request again without %s",
			mcp.ProtocolVersion20260728, mcp.HeaderLastEventID)
	}
	if supported := h.server.httpVersions(); !slices.Contains(supported, version) {
		r := refusef(http.StatusBadRequest, "unsupported protocol version %s", sanitize.Text(version, 40))
		if mcp.IsValidProtocolVersion(version) {
			r.text = "this hub is in focus mode, where each client has a tab of its own. Protocol " +
				mcp.ProtocolVersion20260728 +
				" has no sessions over HTTP, so a client's tab can't be kept; begin a session by initialize with an " +
				"earlier version, or start the hub with --mode=all --surface=static, where the list stays short and " +
				"find_webmcp_tools and call_webmcp_tool take a tab"
		}
		r.code = mcp.UNSUPPORTED_PROTOCOL_VERSION
		r.data, _ = jsonrpc.Encode(map[string]any{"supported": supported, "requested": version})
		return r
	}
	if err := mcp.ValidateStandardHeaders(req.Header.Get, version, mcp.MCPMethod(m.Method), m.Params); err != nil {
		return mismatch("%v", err)
	}
	return nil
}

// modernStatus returns the HTTP status that belongs to a JSON-RPC error's code.
func modernStatus(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION,
		mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// httpVersions returns the protocol versions that the server supports over HTTP, the newest first. It leaves out those
// without sessions if each client has a focus.
func (s *Server) httpVersions() (all []string) {
	for _, v := range mcp.ValidProtocolVersions {
		if s.options.Settings.Mode != view.FocusedTab || !mcp.IsModernProtocol(v) {
			all = append(all, v)
		}
	}
	return all
}

// answered notes that the answer to a sessionless client's request has been written.
func (s *Server) answered(r *wire.Request) {
	s.sessions.sessionlessAnswered(r)
	if work := r.Carried(); work != nil {
		s.sessions.sessionlessAnswered(work)
	}
}
