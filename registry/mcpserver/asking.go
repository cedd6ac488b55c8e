package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

const (
	// PageRequestTimeout is how long a client may take to answer what a page
	// asks of it; people are asked, too.
	PageRequestTimeout = 5 * time.Minute
	// maxAsks is how many requests of pages one client has at a time.
	maxAsks = 8
	// maxUnread is how many messages wait for the response over HTTP to the request
	// that they belong to: nobody may be reading it any more.
	maxUnread = 2 * maxAsks
)

// answers says which of our requests a client answers, by the capabilities
// that it declared.
func answers(capabilities map[string]json.RawMessage) map[string]bool {
	var elicitation map[string]json.RawMessage
	_ = json.Unmarshal(capabilities["elicitation"], &elicitation)
	return map[string]bool{
		sanitize.MethodSampling: jsonrpc.IsObject(capabilities["sampling"]),
		sanitize.MethodRoots:    jsonrpc.IsObject(capabilities["roots"]),
		// Without a member it is forms, as before there were others.
		sanitize.MethodElicitation: elicitation != nil && (len(elicitation) == 0 || elicitation["form"] != nil),
	}
}

// PageRequests says when pages may ask something of an agent.
type PageRequests string

const (
	// DuringCalls lets a page ask while it carries out a request, and only the
	// client that made it. It is the default.
	DuringCalls PageRequests = "during-calls"
	// AtAnyTime lets it also ask when it carries out none, of the only client
	// that sees the page.
	AtAnyTime PageRequests = "always"
	// Never is for a hub that gives pages no way to ask, so that nobody is told of one.
	Never PageRequests = "none"
)

// PageRequest passes what a page asks of the agent on to the client that it
// concerns, and returns what that answers. It always returns, soon after ctx
// has ended and within [PageRequestTimeout]. Errors are [registry.PageError]s.
// Any goroutine may call it.
//
// The client is the one whose request the asking document is carrying out; the
// page's request ends with that. Where it carries out none, see [PageRequests].
func (s *Server) PageRequest(ctx context.Context, r registry.PageRequest) (json.RawMessage, error) {
	out, during, tool, refusal := s.agentFor(r)
	r.Tool = tool
	params, err := r.Launder()
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return nil, registry.PageError{Code: mcp.METHOD_NOT_FOUND, Text: r.Method + " was not passed on: " + refusal}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, PageRequestTimeout, TimeoutError{PageRequestTimeout})
	defer cancel()
	if during != nil {
		defer context.AfterFunc(during.ctx, cancel)()
	}
	return out.ask(ctx, r.Method, params, during)
}

// agentFor finds the client whom a page's request concerns, and which request
// of it the page is carrying out, by which tool, or says why there is none.
func (s *Server) agentFor(r registry.PageRequest) (out *outbox, during *request, tool, refusal string) {
	if r.Method == sanitize.MethodRoots && !s.options.PageRoots {
		return nil, nil, "", "the user lets no page see the agent's folders (--page-roots)"
	}
	var calling, seeing []*outbox
	s.eachSession(func(sess *session) {
		asked, by, sees := sess.out.concernedBy(r.Server)
		if asked != nil {
			calling, during, tool = append(calling, sess.out), asked, by
		}
		if sees && s.leases.refusal(nil, r.Server.Page, sess.out) == "" {
			seeing = append(seeing, sess.out)
		}
	})
	switch {
	case len(calling) > 1:
		// Nothing in the page's request says which client's call it belongs to.
		return nil, nil, "", "the page carries out calls of several clients, and one client's questions must not reach another; ask when only one of them is running"
	case len(calling) == 1:
		out = calling[0]
	case s.options.PageRequests != AtAnyTime:
		return nil, nil, "", "a page may ask only while it carries out a call of an agent; the user can allow it at other times (--page-requests=always)"
	case len(seeing) == 0:
		return nil, nil, "", "no client is connected that sees the page"
	case len(seeing) > 1:
		return nil, nil, "", "several clients see the page and none of them is using it; ask while a tool runs"
	default:
		out = seeing[0]
	}
	return out, during, tool, out.cantAnswer(r.Method)
}

// concernedBy gives the newest request that the document is carrying out, or
// nil, with the tool that does it, and says whether the client sees its page.
func (o *outbox) concernedBy(server registry.ServerRef) (asked *request, tool string, sees bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.inflight {
		if r.at == server && !r.muted && (asked == nil || r.since.After(asked.since)) {
			asked, tool = r, r.tool
		}
	}
	return asked, tool, o.notice.ready && o.offers.sees(server.Page)
}

// cantAnswer says why the client can't be asked, or is empty.
func (o *outbox) cantAnswer(method string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.capable == nil:
		return "the agent's client speaks MCP " + mcp.ProtocolVersion20260728 + ", which has no requests to clients"
	case !o.capable[method]:
		return "the agent's client did not declare that it supports this"
	}
	return ""
}

// hears says whether something reads what is queued. mu must be held.
func (o *outbox) hears() bool { return o.out != nil || o.stream != nil }

// ask sends the client a request and waits for its answer. Where it belongs to
// a request of the client over HTTP, it goes out on the response to that.
func (o *outbox) ask(ctx context.Context, method string, params json.RawMessage, during *request) (json.RawMessage, error) {
	refuse := func(text string) (json.RawMessage, error) {
		return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not passed on: " + text}
	}
	answer := make(chan reply, 1)
	o.mu.Lock()
	if len(o.asks) >= maxAsks {
		o.mu.Unlock()
		return refuse(fmt.Sprintf("the agent's client has %d requests to answer already", maxAsks))
	}
	// A client that has moved here from a hub that is gone may still answer that one.
	id := strconv.Quote("webmcp-hub-" + rand.Text())
	if !o.toClient(jsonrpc.Request(json.RawMessage(id), method, params), during) {
		o.mu.Unlock()
		return refuse("the agent's client can't be reached now; over HTTP it must have its event stream open")
	}
	if o.asks == nil {
		o.asks = map[string]chan reply{}
	}
	o.asks[id] = answer
	if during != nil {
		defer during.clock.hold()()
	}
	o.mu.Unlock()

	select {
	case a := <-answer:
		if a.err != nil {
			return nil, registry.PageError{Code: a.err.Code, Text: "the agent's client answered: " + cut(a.err.Message, 4096)}
		}
		return a.result, nil
	case <-ctx.Done():
	}
	why := "it was cancelled"
	if timeout := (TimeoutError{}); errors.As(context.Cause(ctx), &timeout) {
		why = timeout.Error()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.asks, id)
	o.toClient(jsonrpc.Notification("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`,"reason":`+strconv.Quote(why)+`}`)), during)
	return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: method + " was not answered: " + why}
}

// toClient sends what belongs to a request of the client, or with nil to none.
// It fails if nobody would read it. mu must be held.
func (o *outbox) toClient(f jsonrpc.Frame, during *request) bool {
	switch {
	case o.stopping:
		return false
	case during != nil && during.direct != nil && during.direct.streams && !during.over:
		if len(during.direct.more) >= maxUnread {
			return false
		}
		during.direct.more = append(during.direct.more, &entry{Frame: f})
		during.direct.wake()
	case o.hears() && len(o.queue) < MaxConcurrent:
		o.push(&entry{Frame: f})
		o.wakeWriter()
	default:
		return false
	}
	return true
}

// clientAnswered takes the client's answer to a request of ours. One that
// answers none, or one that is no longer waited for, is ignored.
func (o *outbox) clientAnswered(m *jsonrpc.Message) {
	var a reply
	if a.result, a.err = m.Answer(); a.err == nil && !jsonrpc.IsObject(a.result) {
		a.err = jsonrpc.Errorf(jsonrpc.CodeInternal, "a result that is no object")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if waiting := o.asks[string(m.ID)]; waiting != nil {
		delete(o.asks, string(m.ID))
		waiting <- a
	}
}
