package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Record describes one call for an audit. It is complete when the call has ended.
type Record struct {
	Began time.Time
	Took  time.Duration
	// Session is the client's session, such as "stdio-1". Client is the name that the client gives itself.
	Session, Client string
	// Name is the tool that the client asked for. Tool is the page's tool that the hub found; it is nil if there was
	// none, as for the hub's own tools.
	Name string
	Tool *registry.HubTool
	// Tab is the tab that the call went to, or that a tab tool acted on. It is 0 if there was no tab or more than
	// one.
	Tab registry.TabID
	// Browser is the tab's browser, if there are several.
	Browser string
	// Origin is the origin of the document that offers Tool or, for the hub's own tools, of the tab's document when the
	// call began to act on it. It is "" if there is no document, and [names.OpaqueOrigin] if its origin is opaque.
	Origin string
	// To is the origin to which one of the hub's own tools led the tab: the origin of the address in its arguments or,
	// without one, of the tab's document when the call ended, if that differs from Origin. Otherwise To is "".
	To string
	// Args are the arguments as the client sent them. They must not be modified.
	Args json.RawMessage
	// Outcome is "ok", "error" (the tool reported an error), "refused" (the tool was not called), or how the call
	// ended without an answer ([registry.Result].Ending). The outcome of a batch is "error" if the batch failed and
	// at least one of its calls was not refused.
	Outcome string
	// Asked is the time when the page was asked. Answered is the time when its answer arrived. Each is zero if that
	// did not happen.
	Asked, Answered time.Time
	// Person is how long the call waited for a person to allow it.
	Person time.Duration
	// Steps are the outcomes of a batch's steps, in the order in which the client gave them. A step that did not run
	// has "not run". Steps is nil for a single call.
	Steps []string
	page  registry.PageID
}

// recorded starts a record of the call that begins now. The returned function completes the record and passes it on;
// it must be called with the call's answer.
func (s *Handler) recorded(ctx context.Context, c *ToolCall) (over func(answer wire.Reply)) {
	r := &Record{Began: time.Now(), Session: c.Client.ID, Client: c.Client.CallsItselfIn(c.Request), Name: c.Name,
		Args: c.Args}
	c.record = r
	step := c.step
	shown := func(Record, json.RawMessage) {}
	if watch := s.options.Watch; watch != nil {
		cancel := func() { c.Cancel(registry.ErrEndedByUser) }
		shown = watch(*r, cancel)
	}
	traced := func(Record) {}
	if trace := s.options.Trace; trace != nil {
		var own string
		own, traced = trace(*r, sanitize.TraceParent(c.Meta))
		c.Meta = sanitize.WithTraceParent(c.Meta, own)
	}
	return func(answer wire.Reply) {
		r.Took = time.Since(r.Began)
		switch {
		case r.Outcome != "":
		case answer.Err == nil && answer.Result == nil:
			r.Outcome = "failed" // it panicked
		case answer.Err != nil || r.Tool == nil && results.IsError(answer.Result):
			r.Outcome = "refused"
		default:
			r.Outcome = "ok"
		}
		if cause := context.Cause(ctx); (errors.Is(cause, wire.ErrCancelled) ||
			errors.Is(cause, registry.ErrEndedByUser)) &&
			(r.Outcome == "refused" || r.Outcome == "error" && r.Tool == nil) {
			r.Outcome = "cancelled"
		}
		if step != nil {
			step.outcome = r.Outcome
		}
		r.leads(s.Current.Catalog())
		traced(*r)
		if s.options.Called != nil {
			s.options.Called(*r)
		}
		if answer.Err != nil {
			answer.Result = jsonrpc.MustEncode(answer.Err)
		}
		shown(*r, answer.Result)
	}
}

// asks notes that the hub asks the page now.
func (r *Record) asks() {
	if r != nil {
		r.Asked = time.Now()
	}
}

// person notes that the call waits for a person until the returned function is called.
func (r *Record) person() (answered func()) {
	if r == nil {
		return func() {}
	}
	began := time.Now()
	return func() { r.Person += time.Since(began) }
}

// about notes the page's tool and the arguments of the call, and forgets when an earlier page was asked. now is the
// catalog that knows the tool's tab. A site's tool has no tab until the call chooses one.
func (r *Record) about(tool *registry.HubTool, args json.RawMessage, now *registry.Catalog) {
	if r != nil {
		r.Tool, r.Args, r.Outcome, r.Asked, r.Answered = tool, args, "refused", time.Time{}, time.Time{}
		r.in(now.Tab(tool.Route.Page))
	}
}

// in notes the tab on which a call acts; tab may be nil.
func (r *Record) in(tab *registry.Tab) {
	if r == nil {
		return
	}
	r.Tab, r.Browser, r.page = 0, "", ""
	if tab != nil {
		r.Tab, r.Browser, r.page = tab.ID, tab.Browser, tab.Page
	}
	switch {
	case r.Tool != nil:
		r.Origin = cmp.Or(r.Tool.Origin(), names.OpaqueOrigin)
	case tab != nil:
		r.Origin = names.DocumentOrigin(tab.Origin, tab.URL)
	}
}

// leads notes the origin to which one of the hub's own tools led its tab.
func (r *Record) leads(now *registry.Catalog) {
	if r.Tool != nil {
		return
	}
	if address, _ := jsonrpc.Text(jsonrpc.Member(r.Args, "url")); address != "" {
		if !strings.Contains(address, ":") {
			address = "https://" + address
		}
		r.To = names.DocumentOrigin("", address)
		return
	}
	if tab := now.Tab(r.page); tab != nil {
		if is := names.DocumentOrigin(tab.Origin, tab.URL); is != r.Origin {
			r.To = is
		}
	}
}

// answered notes the result of a page's tool.
func (r *Record) answered(result registry.Result) {
	if r == nil {
		return
	}
	r.Answered = time.Now()
	switch {
	case result.Ending != "":
		r.Outcome = result.Ending
	case result.IsError:
		r.Outcome = "error"
	default:
		r.Outcome = "ok"
	}
}

// batch notes how the steps of a batch ended. failed reports that the batch as a whole failed.
func (r *Record) batch(b *stepsCall, failed bool) {
	if r == nil {
		return
	}
	attempted := false
	for i := range b.steps {
		state, _ := b.plan.Outcome(i)
		outcome := string(state)
		if own := b.steps[i].outcome; own != "" {
			outcome, attempted = own, attempted || own != "refused"
		}
		r.Steps = append(r.Steps, outcome)
	}
	switch {
	case !failed:
		r.Outcome = "ok"
	case attempted:
		r.Outcome = "error"
	}
}
