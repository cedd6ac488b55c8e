package page

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"webmcphub/cdpclient"
)

// DefaultScriptLimit bounds the JSON of a result, in bytes, if [Script].Limit is 0.
const DefaultScriptLimit = 64 << 10

// probeTime is how long a page may take to show that no script keeps it busy.
const probeTime = 500 * time.Millisecond

// NodeArgument is an argument that is an element, named by its backend node id.
type NodeArgument struct{ BackendNode int }

// Script is an agent's script with its arguments.
type Script struct {
	Frame  FrameRef
	Script string // a function, an expression, or statements with return
	Args   []any  // each a [NodeArgument] of the frame or a JSON value
	Limit  int    // bounds the result, in bytes; 0 means [DefaultScriptLimit]
}

// ScriptResult is what a script returned. Its texts come from the page and are untrusted.
type ScriptResult struct {
	JSON json.RawMessage
	Cut  bool // the result was too large, and JSON is a string with its beginning
}

// Unended says what became of a script that was still running when its time was up.
type Unended struct {
	What  string
	cause error // why the context ended
}

func (u *Unended) Error() string { return u.What + ": " + u.cause.Error() }

// Unwrap returns the reason why the context ended.
func (u *Unended) Unwrap() error { return u.cause }

// Evaluate runs a script and waits for the value to which its promise resolves. If the script throws, the error is a
// [*ScriptError]. If ctx ends while the script keeps the page busy, Evaluate stops the script. A script that only
// waits goes on.
func Evaluate(ctx context.Context, p *Page, r Script) (ScriptResult, error) {
	f, err := answering(ctx, p, r.Frame)
	if err != nil {
		return ScriptResult{}, err
	}
	r.Limit = cmp.Or(r.Limit, DefaultScriptLimit)
	args, release, err := arguments(ctx, p, f, r.Args)
	if err != nil {
		return ScriptResult{}, err
	}
	defer release()
	w := wrapper{mark: rand.Text(), limit: r.Limit}
	var is outcome
	err = p.Act(ctx, func() (err error) {
		is, err = callFunction(ctx, p, f, w.expression(r.Script), args)
		return err
	})
	if err == nil && is.ExceptionDetails != nil && is.ExceptionDetails.Exception != nil &&
		is.ExceptionDetails.Exception.ClassName == "SyntaxError" && is.notRun() {
		err = p.Act(ctx, func() (err error) {
			is, err = callFunction(ctx, p, f, w.statements(r.Script), args)
			return err
		})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ScriptResult{}, stop(ctx, p, f, context.Cause(ctx))
	case err != nil:
		return ScriptResult{}, err
	case is.ExceptionDetails != nil:
		return ScriptResult{}, thrown(is.ExceptionDetails)
	}
	return is.Result.encode(w), nil
}

//go:embed bounded.js
var bounded string

// maxThrown bounds the text of what a script throws, in characters.
const maxThrown = 16 << 10

// wrapper makes functions of scripts. The functions bound what a script returns and throws before Chrome serializes
// it. mark distinguishes a result that was cut off from other results.
type wrapper struct {
	mark  string
	limit int
}

// expression wraps a script that is a function, which it calls, or an expression. statements wraps all other scripts.
func (w wrapper) expression(script string) string {
	return w.around("const script = (" + strings.TrimRight(strings.TrimSpace(script), ";") +
		"\n); return typeof script === 'function' ? script(...given) : script")
}

func (w wrapper) statements(script string) string { return w.around(script + "\n") }

func (w wrapper) around(body string) string {
	return fmt.Sprintf(`async function(...given) {
	const bounded = %s
	let is
	try {
		is = await (%s(...given) {%s})(...given)
	} catch (thrown) {
		const said = typeof thrown === 'string' ? thrown : thrown instanceof Error ? thrown.stack : undefined
		throw typeof said === 'string' && said.length > %d ? said.slice(0, %[4]d) : thrown
	}
	return bounded(is, %d, %d, %q)
}`, bounded, "async function", body, maxThrown, w.limit, maxDepth, w.mark)
}

// answering returns the frame in which the script is to run, once the page has answered a first evaluation. If the
// page doesn't answer later, the script is the reason.
func answering(ctx context.Context, p *Page, ref FrameRef) (Frame, error) {
	if err := p.Evaluate(ctx, ref, Bare, "() => 1", nil, nil); err != nil {
		if ctx.Err() != nil {
			err = &Unended{"the script was not run, as the page does not answer", context.Cause(ctx)}
		}
		return Frame{}, err
	}
	f, there := FrameByID(p.Frames(), ref.ID)
	if !there || f.FrameRef != ref {
		return Frame{}, &DocumentGone{Frame: ref}
	}
	return f, nil
}

// arguments converts arguments to those of Runtime.callFunctionOn. release releases the objects among them.
func arguments(ctx context.Context, p *Page, f Frame, args []any) (given []map[string]any, release func(), err error) {
	given = []map[string]any{} // not null
	var objects []string
	release = func() { p.Release(f.FrameRef, objects...) }
	for _, a := range args {
		node, is := a.(NodeArgument)
		if !is {
			given = append(given, map[string]any{"value": a})
			continue
		}
		object, err := p.resolve(ctx, f.FrameRef, Main, node.BackendNode)
		if err != nil {
			release()
			return nil, release, err
		}
		objects = append(objects, object)
		given = append(given, map[string]any{"objectId": object})
	}
	return given, release, nil
}

// outcome is the result of Runtime.callFunctionOn.
type outcome struct {
	Result           remote
	ExceptionDetails *cdpclient.ExceptionDetails
}

// notRun says whether the error is a syntax error of the script's text. Such an error has no stack trace.
func (o outcome) notRun() bool {
	return !strings.Contains(o.ExceptionDetails.Exception.Description, "\n    at ")
}

func callFunction(ctx context.Context, p *Page, f Frame, function string,
	args []map[string]any) (is outcome, err error) {
	w, in, err := p.worldOf(ctx, f.FrameRef, Main)
	if err != nil {
		return is, err
	}
	err = p.Call(ctx, in, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"functionDeclaration": function, "uniqueContextId": w.unique, "arguments": args, "awaitPromise": true,
		"userGesture": true,
		"serializationOptions": map[string]any{"serialization": "deep", "maxDepth": maxDepth,
			"additionalParameters": map[string]any{"maxNodeDepth": 0, "includeShadowTree": "none"}},
	}, &is)
	return is, p.Explain(ctx, f.FrameRef, err)
}

// stop stops a script whose time is up, if it keeps the page from answering.
func stop(ctx context.Context, p *Page, f Frame, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	if p.Evaluate(ctx, f.FrameRef, Bare, "() => 1", nil, nil) == nil {
		return &Unended{"the script has not answered in time; what it began may still go on in the page", why}
	}
	if ctx.Err() == nil { // the evaluation failed for another reason than its time: the page has ended
		return why
	}
	if _, open := p.Dialog(); open {
		return &Unended{"the script still goes on, since it waits for its dialog to be answered", why}
	}
	p.Post(f.Session, cdpclient.RuntimeTerminateExecution, nil)
	return &Unended{"the script kept the page busy and was stopped", why}
}
