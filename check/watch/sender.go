package watch

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

//go:embed sender.js
var sender string

// ErrUnsent means that a form waits for a person, and can't be sent in their place.
var ErrUnsent = errors.New("it is a form that waits for a person to send it, and the check can't")

// idOf is how Chrome knows a tool.
func (t *Tab) idOf(s *registry.PageTool) toolID {
	if s.Frame == "" {
		return toolID{string(t.page), s.Name}
	}
	return toolID{string(s.Frame), s.Name}
}

// waitsFor has a tool that is a form which waits for a person be sent once Chrome has filled it
// in. It does nothing about other tools, and gives what ends that after the call.
func (t *Tab) waitsFor(ctx context.Context, tool *registry.PageTool) (over func(), err error) {
	over = func() {}
	if tool.Runtime != offer.Native {
		return over, nil
	}
	id, session := t.idOf(tool), t.session
	form, known := t.tape.announced()[id]
	if !known { // by the page's own process
		if session, err = t.browser.conn.AttachTo(ctx, id.frame); err != nil {
			return over, nil // a frame in a frame of another process: what it is can't be told
		}
		over = func() { t.browser.detach(session) }
		form, known = t.elsewhere(ctx, session, id)
	}
	if !known || form.BackendNodeID == 0 || autosubmits(form) {
		return over, nil
	}
	if err := t.sends(ctx, session, form); err != nil && ctx.Err() == nil {
		over()
		return nil, fmt.Errorf("%w (%w)", ErrUnsent, err)
	}
	return over, nil
}

// announceTime bounds how long Chrome may take to announce the tools of a frame that it knows.
const announceTime = 5 * time.Second

// elsewhere is a tool of a frame that has a process, and a session, of its own.
func (t *Tab) elsewhere(ctx context.Context, in cdpclient.SessionID, id toolID) (form cdpclient.Tool, known bool) {
	ctx, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	heard := newTape()
	t.browser.conn.Attach(in, heard.inbox)
	if t.browser.conn.Call(ctx, in, cdpclient.WebMCPEnable, nil, nil) != nil {
		return form, false
	}
	for {
		if form, known = heard.announced()[id]; known {
			return form, true
		}
		select {
		case <-heard.changed:
		case <-ctx.Done():
			return form, false
		}
	}
}

// sends has sender.js called on a form, in a world of our own.
func (t *Tab) sends(ctx context.Context, in cdpclient.SessionID, form cdpclient.Tool) error {
	world, err := t.world(ctx, in, form.FrameID)
	if err != nil {
		return err
	}
	var element struct{ Object cdpclient.RemoteObject }
	if err := t.browser.conn.Call(ctx, in, "DOM.resolveNode", map[string]any{"backendNodeId": form.BackendNodeID, "executionContextId": world}, &element); err != nil {
		return err
	}
	var result cdpclient.EvaluateResult
	err = t.browser.conn.Call(ctx, in, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"objectId": element.Object.ObjectID, "functionDeclaration": sender, "arguments": []any{map[string]any{"value": form.Name}},
	}, &result)
	return cmp.Or(err, failed(&result))
}

// detach ends a session.
func (b *Browser) detach(s cdpclient.SessionID) {
	b.conn.Detach(s)
	b.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: s}, nil)
}
