package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/workers"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// session is one client's session.
type session struct {
	server *Server
	client *view.Client
	number int // of the server's sessions, in the order in which they began
	log    *slog.Logger
	ctx    context.Context
	up     atomic.Bool   // mcp-go has answered initialize
	level  atomic.Value  // the mcp.LoggingLevel that the client has set
	crew   *workers.Pool // only over stdio
	stay   stayed
	end    context.CancelCauseFunc // only over HTTP: ends ctx

	kept    atomic.Int32 // how many works keep a sessionless client's session after its request; only over HTTP
	ownView bool         // the session's view doesn't follow the server's options
}

// receive routes one message. It handles notifications and initialize itself, in order. Every other request gets a
// goroutine of its own.
func (s *session) receive(line []byte) {
	m, err := jsonrpc.Parse(line)
	switch {
	case err != nil:
		s.log.Debug("bad message", "err", err)
		s.refuse(m.ID, err)
	case m.Response:
		s.client.Conn.ClientAnswered(&m)
	case m.ID == nil:
		s.notified(&m)
	default:
		s.request(&m)
	}
}

func (s *session) notified(m *jsonrpc.Message) {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodNotificationInitialized:
		s.client.Conn.Ready()
		s.goesOn()
	case mcp.MethodNotificationCancelled:
		s.client.Conn.Cancelled(jsonrpc.Member(m.Params, "requestId"))
	default:
		s.log.Debug("notification ignored", "method", m.Method)
	}
}

func (s *session) request(m *jsonrpc.Message) {
	r := wire.NewRequest(s.ctx, m.ID)
	if err := s.client.Conn.Begin(r); err != nil {
		r.Cancel(nil)
		s.refuse(m.ID, err)
		return
	}
	if mcp.MCPMethod(m.Method) == mcp.MethodInitialize {
		s.serve(r, m)
		s.client.Conn.Awaken() // the reader must not wait for a client that doesn't read
		return
	}
	if mcp.MCPMethod(m.Method) != mcp.MethodPing {
		s.client.Conn.Ready()
	}
	if s.crew.Run(func() {
		s.serve(r, m)
		s.client.Conn.Flush()
	}) {
		runtime.Gosched() // let the request run before the next read
	}
}

// refuse answers a message that became no request.
func (s *session) refuse(id json.RawMessage, err *jsonrpc.Error) {
	s.client.Conn.Send(jsonrpc.Failure(id, err))
}

// serve answers one request, even if handling it panics.
func (s *session) serve(r *wire.Request, m *jsonrpc.Message) {
	defer r.Cancel(nil)
	var answer wire.Reply
	defer func() {
		if p := recover(); p != nil {
			s.panicked(m.Method, p)
			answer = wire.Reply{Err: internalError(m)}
		}
		s.client.Conn.Finish(r, answer)
	}()
	answer = s.answer(r, m)
}

// panicked logs a panic. The function that recovered it must call it.
func (s *session) panicked(method string, p any) {
	s.log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
}

func internalError(m *jsonrpc.Message) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error in %s; the hub's log says more",
		sanitize.Text(m.Method, 64))
}

func (s *session) answer(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover:
	default:
		s.goesOn()
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsList:
		return s.listTools(r, m)
	case mcp.MethodToolsCall:
		return s.callTool(r, m)
	case mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, mcp.MethodPromptsList:
		return s.listOffers(r, m)
	case mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe, mcp.MethodPromptsGet,
		mcp.MethodCompletionComplete:
		return s.askPage(r, m)
	case methodTasksGet, methodTasksUpdate, methodTasksCancel:
		return s.answerTask(r, m)
	case mcp.MethodSetLogLevel:
		answer := s.delegate(r, m)
		if answer.Err == nil {
			s.server.logLevelSet(true)
		}
		return answer
	case mcp.MethodSubscriptionsListen:
		return s.listen(r, m)
	case mcp.MethodServerDiscover:
		return s.ownInstructions(s.delegate(r, m))
	case mcp.MethodInitialize:
		answer := s.ownInstructions(s.delegate(r, m))
		if answer.Err == nil {
			s.client.Introduced(m.Params)
			s.client.Speaks(revision(answer.Result))
			s.client.Conn.Initialized()
		}
		return answer
	}
	return s.delegate(r, m)
}

// params reads a request's params. If they can't be used, answered is the answer. mcp-go says what is wrong with a
// request of protocol 2026-07-28.
func (s *session) params(r *wire.Request, m *jsonrpc.Message) (p params, answered *wire.Reply) {
	p, err := readParams(m)
	switch {
	case err != nil:
		answered = &wire.Reply{Err: err}
	case !p.sound():
		refused := s.delegate(r, m)
		answered = &refused
	case p.modern():
		s.client.Named(r, p.client)
	}
	return p, answered
}

func (s *session) listTools(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	l := s.client.View
	if p.modern() {
		s.client.Speaks(p.version)
	}
	if answered == nil && p.cursor == "" && !p.peek {
		s.client.NoteListed(!s.client.Sessionless && !p.modern())
	}
	switch {
	case answered != nil:
		return *answered
	case l.Settings().ListPage > 0 && !p.peek:
		raw, seen, ok := l.ListPage(p.cursor, l.Settings().ListPage)
		if !ok {
			return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has changed "+
				"since it was given; ask for tools/list without a cursor again")}
		}
		if p.modern() {
			raw = view.AsModern(raw)
		}
		return s.client.Reads(wire.Reply{Result: raw}, seen)
	case p.cursor != "":
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has one page only")}
	}
	list, seen := l.Listing()
	raw := list.Legacy
	if p.modern() {
		raw = list.Modern
	}
	answer := wire.Reply{Result: view.WithMeta(raw(), list.Meta)}
	if p.peek {
		return answer
	}
	return s.client.Reads(answer, seen)
}

func (s *session) callTool(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	switch {
	case answered != nil:
		return *answered
	case p.name == "":
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, `tools/call needs the tool's "name"`)}
	}
	s.client.NoteCalled()
	p.tasks = p.modern() && p.takesTasks()
	return s.inRounds(r, &p, p.name+"\n"+string(p.arguments), func(r *wire.Request) wire.Reply { return s.call(r, &p) })
}

func (s *session) call(r *wire.Request, p *params) wire.Reply {
	answer := s.server.calls.Handle(r.Ctx, calls.ToolCall{
		Name:   p.name,
		Args:   p.arguments,
		Token:  p.token,
		Meta:   p.meta,
		Cancel: r.Cancel,

		Extensions: p.extensions,
		Client:     s.client,
		Request:    r,
	})
	if answer.Err != nil {
		return answer
	}
	if p.modern() {
		if lacking := s.client.Conn.Lacking(r); lacking != nil {
			if failed, text := toolError(answer.Result); failed {
				return wire.Reply{Err: missing(lacking, text)}
			}
		}
	}
	if r.Ctx.Err() == nil { // otherwise nobody reads the answer
		answer.Result = s.client.WithNews(answer.Result)
	}
	if p.modern() {
		answer.Result = withResultType(answer.Result)
	}
	return answer
}

// toolError reports whether a result is a tool's error, and returns its text.
func toolError(result json.RawMessage) (failed bool, text string) {
	var r struct {
		IsError bool
		Content []struct{ Text string }
	}
	if json.Unmarshal(result, &r) != nil || len(r.Content) == 0 {
		return r.IsError, ""
	}
	return r.IsError, r.Content[0].Text
}

// missing returns the error of a call that failed after its page could not ask the client something, because the
// client had not declared the capabilities for it (protocol 2026-07-28). A page can't say in advance what its tool
// needs, so the tool has already begun.
func missing(capabilities []string, text string) *jsonrpc.Error {
	required := map[string]struct{}{}
	for _, c := range capabilities {
		required[c] = struct{}{}
	}
	err := jsonrpc.Errorf(int(mcp.MISSING_REQUIRED_CLIENT_CAPABILITY), "the tool asked for %s, which this request's "+
		"clientCapabilities don't have, and failed: %s",
		strings.Join(slices.Sorted(maps.Keys(required)), ", "), sanitize.Text(text, 4096))
	err.Data = jsonrpc.MustEncode(map[string]any{"requiredCapabilities": required})
	return err
}

// withResultType adds what protocol 2026-07-28 requires in results.
func withResultType(result json.RawMessage) json.RawMessage {
	rest, ok := bytes.CutPrefix(result, []byte("{"))
	if !ok {
		return result
	}
	return append([]byte(`{"resultType":"complete",`), rest...)
}
