package calls

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// Record is what is to be known of one call once it is over, for an audit.
type Record struct {
	Began time.Time
	Took  time.Duration
	// Session is the client's session, such as "stdio-1", and Client how it
	// calls itself.
	Session, Client string
	// Name is the tool that the client asked for, and Tool the page's tool that
	// was found, nil if there was none, as for tools of the hub's own.
	Name string
	Tool *registry.HubTool
	// Tab is the tab that the call went to, or that a tab tool acted on; 0 if
	// there was none, or more than one.
	Tab registry.TabID
	// Browser is that tab's, where there are several.
	Browser string
	// Args are the arguments as the client sent them. They must not be modified.
	Args json.RawMessage
	// Outcome is "ok", "error" (the tool says so), "refused" (it was not asked),
	// or how the call ended without its answer ([registry.Result].Ending). That of many
	// calls at once is "error" if the whole failed and one of them was not refused.
	Outcome string
	// Asked is when the page was asked, and Answered when its answer was there; zero if it
	// wasn't.
	Asked, Answered time.Time
	// Steps are the outcomes of the steps of many calls at once, in the order that they
	// were given in, "not run" among them; nil of one call.
	Steps []string
}

// recorded has record told of a call that begins, when the returned function is
// called with its answer.
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
		case answer.Err != nil || r.Tool == nil && results.SaysError(answer.Result):
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

// asks notes that the page is asked now.
func (r *Record) asks() {
	if r != nil {
		r.Asked = time.Now()
	}
}

// about notes which page's tool is called, and with what. now is the catalog
// that knows its tab; a tool of a site has none before one is chosen.
func (r *Record) about(tool *registry.HubTool, args json.RawMessage, now *registry.Catalog) {
	if r != nil {
		r.Tool, r.Args, r.Outcome = tool, args, "refused"
		r.in(now.Tab(tool.Route.Page))
	}
}

// in notes the tab that a call acts on, which may be nil.
func (r *Record) in(tab *registry.Tab) {
	if r == nil {
		return
	}
	r.Tab, r.Browser = 0, ""
	if tab != nil {
		r.Tab, r.Browser = tab.ID, tab.Browser
	}
}

// answered notes what a page's tool answered.
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

// batch notes how the steps of many calls at once ended; failed says that the whole did.
func (r *Record) batch(b *stepsCall, failed bool) {
	if r == nil {
		return
	}
	asked := false
	for i := range b.steps {
		state, _ := b.plan.Outcome(i)
		said := string(state)
		if own := b.steps[i].outcome; own != "" {
			said, asked = own, asked || own != "refused"
		}
		r.Steps = append(r.Steps, said)
	}
	switch {
	case !failed:
		r.Outcome = "ok"
	case asked:
		r.Outcome = "error"
	}
}
