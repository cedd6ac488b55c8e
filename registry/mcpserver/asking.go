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

	"webmcphub/registry"
)

const (
	// PageRequestTimeout is how long a client may take to answer what a page
	// asks of it; people are asked, too.
	PageRequestTimeout = 5 * time.Minute
	// maxAsks is how many requests of pages one client has at a time.
	maxAsks = 8
)

// answers says which of our requests a client answers, by the capabilities
// that it declared.
func answers(capabilities map[string]json.RawMessage) map[string]bool {
	var elicitation map[string]json.RawMessage
	_ = json.Unmarshal(capabilities["elicitation"], &elicitation)
	return map[string]bool{
		registry.MethodSampling: isObject(capabilities["sampling"]),
		registry.MethodRoots:    isObject(capabilities["roots"]),
		// Without a member it is forms, as before there were others.
		registry.MethodElicitation: elicitation != nil && (len(elicitation) == 0 || elicitation["form"] != nil),
	}
}

// PageRequest passes what a page asks of the agent on to the client that it
// concerns, and returns what that answers. It always returns, soon after ctx
// has ended and within [PageRequestTimeout]. Errors are [registry.PageError]s.
// Any goroutine may call it.
//
// The client is the one whose request the page is answering; the page's
// request ends with that. Where none is, it is the only one that sees the page.
func (s *Server) PageRequest(ctx context.Context, r registry.PageRequest) (json.RawMessage, error) {
	params, err := r.Launder()
	if err != nil {
		return nil, err
	}
	out, during, refusal := s.agentFor(r)
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
// of it the page is answering, or says why there is none.
func (s *Server) agentFor(r registry.PageRequest) (out *outbox, during *request, refusal string) {
	page := r.Server.Page
	var seeing []*outbox
	s.eachSession(func(sess *session) {
		asked, sees := sess.out.concernedBy(page)
		if asked != nil && (during == nil || asked.since.After(during.since)) {
			out, during = sess.out, asked
		}
		if sees && s.leases.refusal(nil, page, sess.out) == "" {
			seeing = append(seeing, sess.out)
		}
	})
	switch {
	case during != nil:
	case len(seeing) == 0:
		return nil, nil, "no client is connected that sees the page"
	case len(seeing) > 1:
		return nil, nil, "several clients see the page and none of them is using it; ask while a tool runs"
	default:
		out = seeing[0]
	}
	return out, during, out.cantAnswer(r.Method)
}

// concernedBy gives the newest request for which the page is being asked, or
// nil, and says whether the client sees the page.
func (o *outbox) concernedBy(page registry.PageID) (asked *request, sees bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.inflight {
		if r.page == page && !r.muted && (asked == nil || r.since.After(asked.since)) {
			asked = r
		}
	}
	return asked, o.notice.ready && o.offers.sees(page)
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
		return nil, registry.PageError{Code: codeInternal, Text: method + " was not passed on: " + text}
	}
	answer := make(chan reply, 1)
	o.mu.Lock()
	if len(o.asks) >= maxAsks {
		o.mu.Unlock()
		return refuse(fmt.Sprintf("the agent's client has %d requests to answer already", maxAsks))
	}
	// A client that has moved here from a hub that is gone may still answer that one.
	id := strconv.Quote("webmcp-hub-" + rand.Text())
	head := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":`
	if !o.toClient(entry{head: []byte(head), body: oneLine(params)}, during) {
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
	o.toClient(notification("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`,"reason":`+strconv.Quote(why)+`}`)), during)
	return nil, registry.PageError{Code: codeInternal, Text: method + " was not answered: " + why}
}

// toClient sends what belongs to a request of the client, or with nil to none.
// It fails if nobody would read it. mu must be held.
func (o *outbox) toClient(e entry, during *request) bool {
	switch {
	case o.stopping:
		return false
	case during != nil && during.direct != nil && during.direct.streams && !during.over:
		during.direct.more = append(during.direct.more, &e)
		during.direct.wake()
	case o.hears() && len(o.queue) < MaxConcurrent:
		o.push(&e)
		o.wakeWriter()
	default:
		return false
	}
	return true
}

// clientAnswered takes the client's answer to a request of ours. One that
// answers none, or one that is no longer waited for, is ignored.
func (o *outbox) clientAnswered(m *message) {
	a := reply{result: m.result}
	if m.failure != nil {
		a.err = &rpcError{Code: codeInternal}
		if json.Unmarshal(m.failure, a.err) != nil {
			a.err = rpcErrorf(codeInternal, "an error that can't be read")
		}
	} else if !isObject(m.result) {
		a.err = rpcErrorf(codeInternal, "a result that is no object")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if waiting := o.asks[string(m.id)]; waiting != nil {
		delete(o.asks, string(m.id))
		waiting <- a
	}
}
