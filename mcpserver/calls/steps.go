package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"webmcphub/mcpserver/batch"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

const (
	callTools = "call_webmcp_tools"

	stepsInput = `{"type":"object","properties":{` +
		`"steps":{"type":"array","items":{"type":"object","properties":{"tool":{"type":"string"},"tab":{"type":"integer"},"arguments":{"type":"object"},"as":{"type":"string","description":"Name for $ref"}},"required":["tool"]}},` +
		`"stopOn":{"enum":["error","never"],"description":"Default: error"},` +
		`"return":{"type":"array","items":{"type":"string"},"description":"Paths, such as cart.total, to get in place of whole results"}},"required":["steps"]}`
)

func (s *Handler) stepsTool() staticTool {
	return staticTool{focus.NewTool(callTools,
		`Calls several tools at once: in order on one tab, side by side on different tabs. {"$ref":"cart.items[0].id"} as an argument is a value from the result of the step named cart.`,
		stepsInput, "", `{"openWorldHint":true}`), s.callSteps}
}

// stepsArguments are the arguments of call_webmcp_tools.
type stepsArguments struct {
	Steps  []batch.Step `json:"steps"`
	StopOn string       `json:"stopOn"`
	Return []string     `json:"return"`
}

// callSteps implements call_webmcp_tools.
func (s *Handler) callSteps(ctx context.Context, c ToolCall) wire.Reply {
	var a stepsArguments
	wrong := s.readArguments(c, json.RawMessage(stepsInput), &a)
	if wrong == "" {
		wrong = unknownMembers(c.Args)
	}
	if wrong != "" {
		return done(sanitize.ErrorResult(wrong + " No step was run."))
	}
	plan, err := batch.New(a.Steps, a.StopOn == "never", a.Return)
	if err != nil {
		return failed(fmt.Errorf("no step was run: %w", err))
	}
	b := &stepsCall{handler: s, call: c, plan: plan, steps: make([]step, plan.Len())}
	for i, given := range a.Steps {
		if given.Tool == callTools {
			return failed(fmt.Errorf("no step was run: %s is %s itself; put its steps beside the others", plan.Name(i),
				callTools))
		}
		if _, own := c.ownTool(s, given.Tool); given.Tab != nil &&
			(own || c.Client.View.Settings().Mode == view.FocusedTab) {
			return failed(fmt.Errorf("no step was run: %s can't have a tab beside its arguments: %s takes the tab as "+
				"an argument, or acts on the focused tab", plan.Name(i), sanitize.Text(given.Tool, 128)))
		}
	}
	b.run(ctx)
	raw, failed := plan.Answer(b.stepResults(), b.wanted(ctx))
	c.record.batch(b, failed)
	answer := done(sanitize.LimitResult(registry.Result{JSON: raw, IsError: failed}, s.options.MaxResult, false))
	answer.Read = b.read()
	return answer
}

// read returns a function that notes what the client reads in the steps' results. It returns nil if they show no
// tools.
func (b *stepsCall) read() func() wire.Listed {
	var all []func() wire.Listed
	for i := range b.steps {
		if it := &b.steps[i]; it.read != nil && it.result.JSON != nil {
			all = append(all, it.read)
		}
	}
	if all == nil {
		return nil
	}
	return func() (newest wire.Listed) {
		for _, read := range all {
			if is := read(); is.Version >= newest.Version {
				newest = is
			}
		}
		return newest
	}
}

// stepResults returns the steps' results for the answer, cut so that together they have no more tokens than one result
// may have.
func (b *stepsCall) stepResults() []batch.StepResult {
	all := make([]batch.StepResult, len(b.steps))
	sizes := make([]int, len(b.steps))
	max := b.call.Client.View.Settings().MaxResult
	fits := max <= 0 || b.held.Load() <= int64(max) // no token is shorter than a byte
	for i := range b.steps {
		it := &b.steps[i]
		all[i] = batch.StepResult{Result: it.result.JSON, Note: it.note, Attribution: it.words}
		if it.tool != nil {
			all[i].Tab, all[i].Origin = int(it.tab), it.tool.Origin()
		}
		if !fits {
			sizes[i] = results.Size(it.result.JSON)
		}
	}
	for i, share := range results.Shares(sizes, max) {
		if share < sizes[i] {
			short, notice := b.handler.Wholes.Fit(all[i].Result,
				b.handler.reader(b.call.Client, share, b.steps[i].words), nil)
			all[i].Result, all[i].Note = short, strings.TrimPrefix(all[i].Note+"\n"+notice, "\n")
		}
	}
	return all
}

// wanted returns the values that the client wants, cut in the same way.
func (b *stepsCall) wanted(ctx context.Context) []batch.Selected {
	all := b.plan.Wanted(b.handler.options.MaxResult, func() bool { return ctx.Err() != nil })
	max := b.call.Client.View.Settings().MaxResult
	sizes := make([]int, len(all))
	for i, v := range all {
		sizes[i] = results.SizeOf(v.Value)
	}
	if max <= 0 {
		return all
	}
	for i, share := range results.Shares(sizes, max) {
		if v := &all[i]; share < sizes[i] {
			v.Value, v.Why = b.handler.Wholes.FitValue(v.Value,
				b.handler.reader(b.call.Client, share, b.steps[v.Step].words))
		}
	}
	return all
}

// unknownMembers returns an error text if the arguments or a step have unknown members. Otherwise the hub would call
// the tool without a member whose name the agent misspelled, such as arguments.
func unknownMembers(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(&stepsArguments{}); err != nil {
		return sanitize.Text(fmt.Sprintf("The arguments can't be read (%v): a step has tool, tab, arguments and as, "+
			"and beside steps there are stopOn and return.", err), 500)
	}
	return ""
}

// stepsCall carries out the steps of one call.
type stepsCall struct {
	handler *Handler
	call    ToolCall
	plan    *batch.Plan
	steps   []step
	held    atomic.Int64 // how many bytes of results are held
}

// step is one step. It belongs to the goroutine that runs it, while there is one.
type step struct {
	page   registry.PageID   // the page that had its tool when the step began; "" if unknown
	after  bool              // other steps have ended before it began
	tool   *registry.HubTool // the page's tool that was called; nil if none was
	tab    registry.TabID
	words  results.Attribution // the page whose words the result contains
	note   string              // the hub's note about the result
	result registry.Result     // without marks; empty if the client wants only values
	own    json.RawMessage     // the page's result without the hub's notices; nil if no page gave it
	read   func() wire.Listed  // notes what the client reads in the result; nil if it shows no tools

	outcome string // as in the audit log; "" without an audit, or if the step did not begin
}

// run carries out the plan, and returns when all its steps have ended. After ctx has ended, no more steps begin.
func (b *stepsCall) run(ctx context.Context) {
	ended := make(chan batch.Ended)
	var running sync.WaitGroup
	defer running.Wait()
	tabs := make([]string, len(b.steps))
	cancelled := ctx.Done()
	for {
		for i := range tabs {
			if is, _ := b.plan.Outcome(i); is == batch.Waiting {
				tabs[i] = b.tabOf(i)
			}
		}
		for _, begun := range b.plan.Begin(tabs, func() bool { return ctx.Err() != nil }) {
			running.Go(func() { ended <- b.carryOut(begun.Index, begun.Arguments) })
		}
		b.tellProgress()
		if b.plan.Over() {
			return
		}
		select {
		case e := <-ended:
			b.plan.End(e)
		case <-cancelled:
			cancelled = nil
			b.plan.Cancel(context.Cause(ctx).Error())
		}
	}
}

// tabOf returns the id of the page to which a step's call would go now, or "" if that is unknown.
func (b *stepsCall) tabOf(i int) string {
	s, it := b.handler, &b.steps[i]
	it.after, it.page = b.plan.Ended() > 0, "" // earlier steps may have changed where it goes
	name := b.plan.Given(i).Tool
	if _, own := b.call.ownTool(s, name); own {
		return "" // a tool of the hub may act on any tab, choose one, or open one
	}
	if tool := b.given(i).lookFor(s, name); tool != nil {
		it.page = tool.Route.Page // "" for a site's tool, which chooses its tab when it is called
	}
	return string(it.page)
}

// given returns the call with the tab that the client gave for a step.
func (b *stepsCall) given(i int) ToolCall {
	c := b.call
	c.tab = b.plan.Given(i).Tab
	return c
}

// lookFor finds the page's tool that the client means by a name now, or returns nil.
func (c ToolCall) lookFor(s *Handler, name string) *registry.HubTool {
	if c.Client.View.Settings().Mode == view.FocusedTab && !pageName(name) {
		shown, _ := c.Client.View.Shown()
		tool, _ := focus.ResolveBare(c.Client.View.KnowingBare(name), shown, name)
		return tool
	}
	c.to = s.VisibleToolsFor(c.Client)
	now := c.Client.View.Catalog(s.Current.Load()).Catalog
	page, refused := c.given(now, nil)
	if refused != nil {
		return nil
	}
	tool, wrong := c.find(now, name, page)
	if wrong != "" {
		return nil
	}
	return tool
}

// carryOut carries out a step, and returns soon after the call's context has ended.
func (b *stepsCall) carryOut(i int, args json.RawMessage) (ended batch.Ended) {
	part := b.call.Client.Conn.Part(b.call.Request)
	defer b.call.Client.Conn.PartOver(part)
	it := &b.steps[i]
	c := b.given(i)
	c.Name, c.Args, c.Token = b.plan.Given(i).Tool, args, nil
	c.Request, c.Cancel = part, part.Cancel
	c.progress, c.record, c.step = b.call.progress.Step(b.plan.Name(i)), nil, it
	reply := b.handler.handleStep(part.Ctx, c)
	if it.read = reply.Read; it.read != nil && (c.Name == focus.FocusOnTab || c.Name == focus.OpenTab) {
		it.read() // later steps name tools of the tab that this one chose
	}
	r := registry.Result{JSON: reply.Result}
	if reply.Err != nil {
		r = sanitize.ErrorResult(reply.Err.Message)
	}
	r.IsError = results.IsError(r.JSON)
	ended = batch.Ended{Index: i, Failed: r.IsError, Value: batch.ValueOf(r.JSON)}
	if it.own != nil {
		ended.Value = batch.ValueOf(it.own)
	}
	if r.IsError {
		ended.Why = sanitize.Text(batch.TextOf(r.JSON), 2000)
	}
	if r.IsError || !b.plan.Selects() {
		room := int64(b.handler.options.MaxResult) - b.held.Load()
		it.result = sanitize.LimitResult(r, int(max(room, 4<<10)), false)
		b.held.Add(int64(len(it.result.JSON)))
	}
	return ended
}

// handleStep carries out the call that a step makes. It always returns an answer, even after a panic.
func (s *Handler) handleStep(ctx context.Context, c ToolCall) (answer wire.Reply) {
	if s.options.Called != nil || s.options.Watch != nil {
		over := s.recorded(ctx, &c)
		defer func() { over(answer) }()
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "step", c.Name, "panic", p, "stack", string(debug.Stack()))
			answer = done(sanitize.ErrorResult("The hub failed at " + c.Name + "; its log says more."))
		}
	}()
	if t, own := c.ownTool(s, c.Name); own {
		return t.run(ctx, c)
	}
	there := func(*registry.Catalog) bool { return c.lookFor(s, c.Name) != nil }
	c.awaitTool(ctx, s, there)
	if c.step.after { // an earlier step may have opened the tool's page
		s.within(ctx, ToolsAppear, there)
	}
	for again := c.step.after; ; again = false {
		r := s.callAny(ctx, c)
		if !again || r.Ending != sanitize.EndingGone || ctx.Err() != nil {
			return done(r)
		}
		was := c.step.tool
		s.within(ctx, ToolsAppear, func(*registry.Catalog) bool {
			is := c.lookFor(s, c.Name)
			return is != nil && is.Route != was.Route
		})
	}
}

// callAny calls a page's tool by any name that the client may use for it.
func (s *Handler) callAny(ctx context.Context, c ToolCall) registry.Result {
	if c.Client.View.Settings().Mode == view.FocusedTab && !pageName(c.Name) {
		return s.callBare(ctx, c)
	}
	return s.callNamed(ctx, c, c.Name, nil)
}

// begins notes which tool a step calls, or says why the step may not call it.
func (it *step) begins(tool *registry.HubTool, now *registry.Catalog) (wrong string) {
	if it == nil {
		return ""
	}
	if it.page != "" && it.page != tool.Route.Page {
		return tool.Name + " was not called: it became a tool of another tab while the steps before it ran. List the " +
			"tools again."
	}
	it.tool, it.tab = tool, 0
	if tab := now.Tab(tool.Route.Page); tab != nil {
		it.tab = tab.ID
	}
	return ""
}

// tellProgress notifies the client which steps are done and which are running.
func (b *stepsCall) tellProgress() {
	p := b.plan
	var running []string
	for i := range b.steps {
		if is, _ := p.Outcome(i); is == batch.Running {
			running = append(running, fmt.Sprintf("%s, %s", p.Name(i), sanitize.Text(p.Given(i).Tool, 128)))
		}
	}
	what := fmt.Sprintf("%d of %d steps done", p.Ended(), p.Len())
	if len(running) > 0 {
		what += "; waiting for " + strings.Join(running, "; ")
	}
	b.call.progress.Count(p.Ended(), p.Len(), sanitize.Text(what, 1000))
}
