package probe

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

//go:embed sender.js
var sender string

// ErrUnsent means that a form waits for a person, and can't be submitted in their place.
var ErrUnsent = errors.New("it is a form that waits for a person to send it, and the check can't")

// ErrFrameUnknown means that a tool's frame can't be inspected, so the tool may be such a form.
var ErrFrameUnknown = errors.New("the check can't tell whether it is a form that waits for a person")

// idOf returns the id by which Chrome knows a tool.
func (t *Tab) idOf(s *registry.PageTool) toolID {
	if s.Frame == "" {
		return toolID{string(t.page), s.Name}
	}
	return toolID{string(s.Frame), s.Name}
}

// waitsFor prepares the call of a tool that is a form which waits for a person: the form is submitted once Chrome has
// filled it in. It does nothing about other tools. Call over after the call.
func (t *Tab) waitsFor(ctx context.Context, tool *registry.PageTool) (over func(), err error) {
	over = func() {}
	if tool.Runtime != offer.Native {
		return over, nil
	}
	id, session := t.idOf(tool), t.session
	form, known := t.tape.announced()[id]
	if !known { // by the page's own process
		var own bool
		session, own, err = t.processOf(ctx, id.frame)
		if err == nil {
			over = func() { t.browser.detach(session) }
		}
		switch {
		case err != nil:
		case own:
			form, err = t.elsewhere(ctx, session, id)
		default:
			form, err = t.formOf(ctx, session, id)
		}
		if err != nil && ctx.Err() == nil && t.still(tool) {
			over()
			return nil, fmt.Errorf("%w (%w)", ErrFrameUnknown, err)
		}
		if err != nil { // the call reports that the form is gone, or that there was no time
			return over, nil
		}
	}
	if form.BackendNodeID == 0 || autosubmits(form) {
		return over, nil
	}
	if err := t.sends(ctx, session, form); err != nil && ctx.Err() == nil {
		over()
		return nil, fmt.Errorf("%w (%w)", ErrUnsent, err)
	}
	return over, nil
}

// still reports whether the hub still has a tool.
func (t *Tab) still(is *registry.PageTool) bool {
	tab := t.browser.catalogs.current.Load().Tab(t.page)
	return tab != nil && slices.ContainsFunc(tab.Tools,
		func(tool *registry.HubTool) bool { return tool.Source() == is })
}

// announceTime limits how long Chrome may take to announce the tools of a frame that it knows.
const announceTime = 5 * time.Second

// elsewhere returns a tool of a frame that has a process, and a session, of its own.
func (t *Tab) elsewhere(ctx context.Context, in cdpclient.SessionID, id toolID) (form cdpclient.Tool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, announceTime, errors.New("in its frame no such tool is announced"))
	defer cancel()
	heard := newTape()
	t.browser.conn.Attach(in, heard.inbox)
	if err := t.browser.conn.Call(ctx, in, cdpclient.WebMCPEnable, nil, nil); err != nil {
		return form, cmp.Or(context.Cause(ctx), err)
	}
	for {
		if form, known := heard.announced()[id]; known {
			return form, nil
		}
		select {
		case <-heard.changed:
		case <-ctx.Done():
			return form, context.Cause(ctx)
		}
	}
}

// sends runs sender.js on a form, in an isolated world.
func (t *Tab) sends(ctx context.Context, in cdpclient.SessionID, form cdpclient.Tool) error {
	world, err := t.world(ctx, in, form.FrameID)
	if err != nil {
		return err
	}
	var element struct{ Object cdpclient.RemoteObject }
	if err := t.browser.conn.Call(ctx, in, "DOM.resolveNode",
		map[string]any{"backendNodeId": form.BackendNodeID, "executionContextId": world}, &element); err != nil {
		return err
	}
	var result cdpclient.EvaluateResult
	err = t.browser.conn.Call(ctx, in, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"objectId": element.Object.ObjectID, "functionDeclaration": sender,
		"arguments": []any{map[string]any{"value": form.Name}},
	}, &result)
	return cmp.Or(err, failed(&result))
}

// detach ends a session.
func (b *Browser) detach(s cdpclient.SessionID) {
	b.conn.Detach(s)
	b.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: s}, nil)
}
