package input

import (
	"context"
	"errors"
	"slices"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// element is a node on which an action is being carried out: its object in the hub's isolated world, and the iframes
// around it.
type element struct {
	Node
	tab     *Tab
	frame   page.Frame
	object  string
	effects *effects
	around  []*page.FrameElement // from the innermost to the outermost; empty in the main frame
	beside  []*page.FrameElement // other frames in the same documents, as far as they are known
}

// find resolves a node, which must still exist. The caller calls drop when done.
func (t *Tab) find(ctx context.Context, n Node) (*element, error) {
	frames := t.page.Frames()
	e := &element{Node: n, tab: t}
	e.frame, _ = page.FrameByID(frames, n.Frame.ID)
	object, err := t.page.Resolve(ctx, n.Frame, n.Backend)
	if err != nil {
		return nil, e.explain(err)
	}
	e.object = object
	for inner := e.frame; inner.Parent != ""; {
		outer, ok := page.FrameByID(frames, inner.Parent)
		if !ok {
			e.drop()
			return nil, &page.DocumentGone{Frame: n.Frame}
		}
		s := &page.FrameElement{In: outer, Inner: inner}
		e.around = append(e.around, s)
		if err := t.page.FindElement(ctx, s); err != nil {
			e.drop()
			return nil, e.explain(err)
		}
		inner = outer
	}
	return e, nil
}

// unchecked is how long the result of a check by [Node].Still is valid.
const unchecked = 50 * time.Millisecond

// act calls do, after it has checked that the element is still what the caller means and that the call may still act.
func (e *element) act(ctx context.Context, do func() error) error {
	if err := e.still(ctx); err != nil {
		return err
	}
	return e.tab.page.Act(ctx, func() error {
		e.tab.begins()
		e.effects.begins()
		return do()
	})
}

// still checks that the node is still what the caller means, unless that was checked just now.
func (n *Node) still(ctx context.Context) error {
	if n.Still == nil || time.Since(n.Checked) < unchecked {
		return nil
	}
	asked := time.Now()
	if err := n.Still(ctx); err != nil {
		return err
	}
	n.Checked = asked
	return nil
}

// drop releases the element's objects.
func (e *element) drop() {
	if e.object != "" {
		e.tab.page.Release(e.Frame, e.object)
	}
	for _, s := range slices.Concat(e.around, e.beside) {
		if s.Object != "" {
			e.tab.page.Release(s.In.FrameRef, s.Object)
		}
	}
}

// helper is a function that calls one of the helper's functions with an object as its first argument.
const helper = "function (name, ...rest) { return globalThis.__webmcpHubAct[name](this, ...rest) }"

// ask sends a call of a function of the helper on an object. wait waits for the reply and decodes it.
func (t *Tab) ask(ctx context.Context, in cdpclient.SessionID, object, function string,
	args ...any) (wait func(result any) error) {
	return t.page.CallOn(ctx, in, object, helper, append([]any{function}, args...)...)
}

// call calls a function of the helper on the element and waits for the reply.
func (e *element) call(ctx context.Context, result any, function string, args ...any) error {
	return e.explain(e.tab.ask(ctx, e.frame.Session, e.object, function, args...)(result))
}

// explain says what became of the element if Chrome only refused a command.
func (e *element) explain(err error) error {
	if errors.As(err, new(*page.NodeGone)) {
		return &NotActionable{What: e.String(), State: Detached}
	}
	return e.tab.page.Explain(context.Background(), e.Frame, err)
}
