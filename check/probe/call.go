package probe

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/check/lint"
	"webmcphub/check/smoke"
	"webmcphub/registry"
)

// ErrNoTool means that the page has no tool with the given name.
var ErrNoTool = errors.New("the page has no such tool")

// Tools returns the page's current tools.
func (t *Tab) Tools() []lint.Tool {
	var now lint.SeenPage
	t.readHub(&now)
	return now.Tools
}

// Until waits until done returns true for the page's tools, or ctx ends.
func (t *Tab) Until(ctx context.Context, done func([]lint.Tool) bool) error {
	return t.browser.catalogs.until(ctx, func(*registry.Catalog) bool { return done(t.Tools()) })
}

// Call calls one of the page's tools through the hub, as an agent without the schema would: the arguments reach the
// page unchanged. If several tools have that name, nth selects one, from 0, in the order of [Tab.Tools]. A form that
// waits for a person is submitted once Chrome has filled it in. If that is impossible, the error is [ErrUnsent]; if
// Call can't tell whether a tool is such a form, the error is [ErrFrameUnknown]. ctx limits the time of all this.
func (t *Tab) Call(ctx context.Context, name string, nth int, args json.RawMessage) (smoke.Outcome, error) {
	tool := t.find(name, nth)
	if tool == nil {
		return smoke.Outcome{}, ErrNoTool
	}
	before, began := t.tape.len(), time.Now()
	t.listen(before)
	t.watchIdle(ctx)
	if err := t.waitsFor(ctx, tool.Source()); err != nil {
		return smoke.Outcome{}, err
	}
	result := t.browser.hub.Call(ctx, tool, args, actors.CallExtras{})
	out := smoke.Outcome{Result: result.JSON, IsError: result.IsError, Ending: result.Ending, Took: time.Since(began)}
	if out.Ending != "" && ctx.Err() != nil {
		out.Ending = "timeout"
	}
	if out.Ending == "" {
		t.turn()
	}
	for _, e := range t.tape.since(before) {
		switch e.Method {
		case exceptionThrown:
			if what := thrown(e.Params); !t.usual[numberless(what)] {
				out.Thrown = append(out.Thrown, what)
			}
		case targetCrashed:
			out.Ending = "crashed"
		case cdpclient.PageFrameRequestedNavigation: // comes before the answer, however slow the server is
			var n cdpclient.FrameRequestedNavigation
			if json.Unmarshal(e.Params, &n) == nil && n.FrameID == string(t.page) && out.Ending == "" {
				out.Ending = "navigated"
			}
		case cdpclient.PageFrameNavigated:
			var n cdpclient.FrameNavigated
			if json.Unmarshal(e.Params, &n) == nil && n.Frame.ParentID == "" && out.Ending == "" {
				out.Ending = "navigated"
			}
		}
	}
	t.heard = t.tape.len()
	t.effects(ctx, &out)
	return out, nil
}

// watchIdle records what the page did before the first call of a tool; in a call, that doesn't count against the
// tool. It drops what the page did between two calls, because that may be a late effect of the first one.
func (t *Tab) watchIdle(ctx context.Context) {
	all := t.tape.effectsSince(t.noted)
	t.noted += len(all)
	o := t.observe(ctx)
	if t.called {
		return
	}
	t.called = true
	for _, e := range all {
		t.idle[numberless(e.what)] = true
	}
	for _, what := range slices.Concat(o.Changed, o.Stored) {
		t.idle[numberless(what)] = true
	}
}

// effects adds to a call's outcome what the page did during the call, except what it also does by itself.
func (t *Tab) effects(ctx context.Context, out *smoke.Outcome) {
	add := func(to *[]string, what string) {
		if !t.idle[numberless(what)] && !slices.Contains(*to, what) {
			*to = append(*to, what)
		}
	}
	all := t.tape.effectsSince(t.noted)
	for _, e := range all {
		if e.kind == dialogEffect {
			out.Dialogs = append(out.Dialogs, e.what)
		} else {
			add(&out.Wrote, e.what)
		}
	}
	t.noted += len(all)
	if out.Ending != "" {
		return
	}
	o := t.observe(ctx)
	for _, what := range o.Stored {
		add(&out.Wrote, what)
	}
	for _, place := range o.Changed {
		add(&out.Changed, place)
	}
}

// listen records what the page's scripts threw while no tool was called, up to event number n. If they throw it again
// during a call, that doesn't count against the tool.
func (t *Tab) listen(n int) {
	events := t.tape.since(t.heard)
	for _, e := range events[:min(len(events), max(0, n-t.heard))] {
		if e.Method == exceptionThrown {
			t.usual[numberless(thrown(e.Params))] = true
		}
	}
	t.heard = max(n, t.heard)
}

var numbers = regexp.MustCompile(`[0-9]+`)

// numberless returns the same text for errors that differ only in numbers, such as counts or times.
func numberless(s string) string { return numbers.ReplaceAllString(s, "0") }

func (t *Tab) find(name string, nth int) *registry.HubTool {
	tab := t.browser.catalogs.current.Load().Tab(t.page)
	if tab == nil {
		return nil
	}
	for _, tool := range tab.Tools {
		if tool.Source().Name != name {
			continue
		}
		if nth == 0 {
			return tool
		}
		nth--
	}
	return nil
}

// turnTime limits how long to wait for a page that has answered.
const turnTime = 5 * time.Second

// turn lets the page run what it put off until after the call, so that the tape records exceptions there.
func (t *Tab) turn() {
	ctx, cancel := context.WithTimeout(context.Background(), turnTime)
	defer cancel()
	_, _ = t.ask(ctx, `new Promise((done) => setTimeout(done))`)
}

// thrown returns what a script threw, in one line.
func thrown(params json.RawMessage) string {
	var e struct {
		ExceptionDetails cdpclient.ExceptionDetails `json:"exceptionDetails"`
	}
	if json.Unmarshal(params, &e) != nil {
		return "something"
	}
	if x := e.ExceptionDetails.Exception; x != nil && x.Description != "" {
		return firstLine(x.Description)
	} else if x != nil && len(x.Value) > 0 {
		return string(x.Value)
	}
	return e.ExceptionDetails.Text
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}
