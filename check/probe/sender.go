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

// ErrUnsent means that a form waits for a person to submit it, and the check can't submit it.
var ErrUnsent = errors.New("it is a form that waits for a person to send it, and the check can't")

// ErrFrameUnknown means that Chrome has not announced a tool. The tool may be a form that waits for a person.
var ErrFrameUnknown = errors.New("the check can't tell whether it is a form that waits for a person")

// idOf returns the id by which Chrome knows a tool.
func (t *Tab) idOf(s *registry.PageTool) toolID {
	if s.Frame == "" {
		return toolID{string(t.page), s.Name}
	}
	return toolID{string(s.Frame), s.Name}
}

// waitsFor prepares the call of a tool that is a form which waits for a person: it makes the page submit the form
// once Chrome has filled it in. For other tools, it does nothing.
func (t *Tab) waitsFor(ctx context.Context, tool *registry.PageTool) error {
	if tool.Runtime != offer.Native {
		return nil
	}
	id := t.idOf(tool)
	is, err := t.announced(ctx, tool, id)
	if err != nil || is.form == 0 || is.autosubmits {
		return err
	}
	if err := t.sends(ctx, is, id); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w (%w)", ErrUnsent, err)
	}
	return nil
}

// announceTime limits how long Chrome may take to announce a tool that the hub has.
const announceTime = 5 * time.Second

// announced returns what Chrome has announced about a tool; nothing if the tool has gone, which Call reports.
func (t *Tab) announced(ctx context.Context, tool *registry.PageTool, id toolID) (announcement, error) {
	late := time.NewTimer(announceTime)
	defer late.Stop()
	for {
		is, known := t.frames.announced(id)
		if known || !t.still(tool) {
			return is, nil
		}
		select {
		case <-t.frames.changed:
		case <-late.C:
			return is, fmt.Errorf("%w (in its frame no such tool is announced)", ErrFrameUnknown)
		case <-ctx.Done(): // which Call reports
			return is, nil
		}
	}
}

// still reports whether the hub still has a tool.
func (t *Tab) still(is *registry.PageTool) bool {
	tab := t.browser.catalogs.current.Load().Tab(t.page)
	return tab != nil && slices.ContainsFunc(tab.Tools,
		func(tool *registry.HubTool) bool { return tool.Source() == is })
}

// sends runs sender.js on a form, in an isolated world.
func (t *Tab) sends(ctx context.Context, is announcement, id toolID) error {
	var world int
	for made := cdpclient.SessionID(""); made != is.session; { // the frame may move to another process
		made = is.session
		var err error
		if world, err = t.world(ctx, made, id.frame); err != nil {
			return err
		}
		// What Chrome announced before it made the world has arrived by now.
		if now, known := t.frames.announced(id); known {
			is = now
		}
	}
	if is.form == 0 || is.autosubmits {
		return nil
	}
	var element struct{ Object cdpclient.RemoteObject }
	if err := t.browser.conn.Call(ctx, is.session, "DOM.resolveNode",
		map[string]any{"backendNodeId": is.form, "executionContextId": world}, &element); err != nil {
		return err
	}
	var result cdpclient.EvaluateResult
	err := t.browser.conn.Call(ctx, is.session, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"objectId": element.Object.ObjectID, "functionDeclaration": sender,
		"arguments": []any{map[string]any{"value": id.name}},
	}, &result)
	return cmp.Or(err, failed(&result))
}
