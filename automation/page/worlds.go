package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"webmcphub/cdpclient"
)

// World is one of a document's JavaScript worlds.
type World int

const (
	// Isolated is automation's own world. It has the document's DOM, and the page's scripts can't reach it.
	Isolated World = iota
	// Main is the world of the page's scripts.
	Main
	// Bare is the isolated world for scripts that don't need the helper, which then needn't have run in it.
	Bare
)

// WorldName is the name of automation's isolated worlds.
const WorldName = "webmcp-hub-automation"

// world is one execution context.
type world struct {
	id     int
	unique string // Chrome's unique id; other ids are unique within one process only
	frame  string
	kind   World
	origin string
	ready  bool  // the helper has run in it; only of an isolated world
	err    error // why the helper failed
}

func (s *session) world(frame string, kind World) *world {
	return s.worlds[frameWorld{frame, kind}]
}

// frameWorld names a world by its frame.
type frameWorld struct {
	frame string
	kind  World
}

func (o *owner) contextCreated(s *session, c cdpclient.ExecutionContext) {
	w := &world{id: c.ID, unique: c.UniqueID, frame: c.AuxData.FrameID, origin: c.Origin}
	switch {
	case c.AuxData.IsDefault:
		w.kind = Main
	case c.Name != WorldName:
		return
	}
	if old := s.world(w.frame, w.kind); old != nil {
		delete(s.contexts, old.id)
	}
	s.contexts[w.id], s.worlds[frameWorld{w.frame, w.kind}] = w, w
	o.dirty = o.dirty || w.kind == Main // the hub's own worlds aren't published
}

func (o *owner) contextDestroyed(s *session, id int) {
	if w := s.contexts[id]; w != nil {
		delete(s.contexts, id)
		delete(s.worlds, frameWorld{w.frame, w.kind})
		o.dirty = true
	}
}

func (o *owner) contextsCleared(s *session) {
	clear(s.contexts)
	clear(s.worlds)
	o.dirty = true
}

// World returns the id of the execution context of one of a document's worlds. It makes the isolated world if there
// is none. Contexts of different processes can have the same id. So a caller that sends a command with the id must
// check, once the command has been answered, that the frame is still the same, or use [Page.Evaluate] and
// [Page.Resolve], which do that.
func (p *Page) World(ctx context.Context, f FrameRef, kind World) (contextID int, err error) {
	w, _, err := p.worldOf(ctx, f, kind)
	return w.id, err
}

// worldOf returns a world and its session. A function that is called with the world's unique id runs in that document,
// or Chrome refuses the call if the document has ended.
func (p *Page) worldOf(ctx context.Context, ref FrameRef, kind World) (is world, in cdpclient.SessionID, err error) {
	despite := despiteDialog(ctx)
	err = p.await(ctx, func(o *owner) (bool, error) {
		f, err := o.document(ref)
		if err != nil {
			return true, err
		}
		in = f.session.id
		w := f.session.world(f.id, Main)
		if kind != Main {
			w = f.session.world(f.id, Isolated)
		}
		switch {
		case w != nil && kind == Isolated && w.err != nil:
			return true, w.err
		case w != nil && (kind != Isolated || w.ready || o.opt.Helper == ""):
			is = *w
			return true, nil
		case o.blocked(despite):
			return true, &DialogOpen{Dialog: *o.open}
		case kind == Main:
		case f.making != nil:
			return f.making.err != nil, f.making.err
		case w == nil:
			o.makeWorld(f)
		default:
			o.help(f, w)
		}
		return false, nil
	})
	return is, in, err
}

// document returns a document if it is still there and the hub may look into it.
func (o *owner) document(ref FrameRef) (*frame, error) {
	f := o.frames[ref.ID]
	switch {
	case f == nil:
		return nil, &DocumentGone{Frame: ref}
	case f.session == nil || f.loader != ref.Loader:
		return nil, &DocumentGone{ref, o.addressOf(f)}
	}
	if origin := o.origin(f); !o.permits(origin) {
		return nil, &NotPermitted{Origin: origin}
	}
	return f, nil
}

func (o *owner) addressOf(f *frame) string {
	if f.session == nil || f.loader == "" || f.url == "" {
		return "another document"
	}
	return cmp.Or(o.describe(f).Address(), "another document")
}

// makeWorld begins to make a document's isolated world.
func (o *owner) makeWorld(f *frame) {
	making, loader := &world{}, f.loader
	f.making = making
	params := map[string]any{"frameId": f.id, "worldName": WorldName}
	o.post(f.session.id, "Page.createIsolatedWorld", params, func(r cdpclient.Reply) {
		if f.making != making || f.loader != loader {
			return
		}
		if sessionIsGone(r.Err) { // worldOf returns the reason once it is known
			return
		}
		if r.Err != nil {
			making.err = fmt.Errorf("make a world of the hub's own in the frame: %w", r.Err)
			return
		}
		f.making = nil // worldOf checks again; if the document has ended, there is no world
	})
}

// help runs the helper in a document's isolated world.
func (o *owner) help(f *frame, w *world) {
	making, s := &world{}, f.session
	f.making = making
	params := map[string]any{"expression": o.opt.Helper, "uniqueContextId": w.unique, "returnByValue": true,
		"silent": true}
	o.post(s.id, cdpclient.RuntimeEvaluate, params, func(r cdpclient.Reply) {
		if sessionIsGone(r.Err) { // worldOf returns the reason once it is known
			return
		}
		var is cdpclient.EvaluateResult
		switch {
		case r.Err != nil && s.contexts[w.id] != w: // the document has ended; worldOf checks again
		case r.Err != nil:
			w.err = fmt.Errorf("the hub's helper was refused in the frame: %w", r.Err)
		case json.Unmarshal(r.Result, &is) == nil && is.ExceptionDetails != nil:
			w.err = fmt.Errorf("the hub's helper failed in the frame: %w", thrown(is.ExceptionDetails))
		default:
			w.ready = true
		}
		if f.making == making {
			f.making = nil
		}
	})
}

// Evaluate calls a function, given as source text, in one of a document's worlds. It decodes the JSON of what the
// function returns, or of what its promise resolves to, into result, unless result is nil. undefined leaves result
// unchanged. If the function throws, the error is a [*ScriptError].
func (p *Page) Evaluate(ctx context.Context, f FrameRef, kind World, function string, args []any, result any) error {
	w, in, err := p.worldOf(ctx, f, kind)
	if err != nil {
		return err
	}
	return p.Explain(ctx, f, p.invoke(ctx, in, "uniqueContextId", w.unique, function, args)(result))
}

// CallOn sends a call of a function, given as source text, with an object as this. wait waits for the reply, and
// decodes what the function returned as [Page.Evaluate] does. If ctx has ended, CallOn sends nothing.
func (p *Page) CallOn(ctx context.Context, in cdpclient.SessionID, object, function string,
	args ...any) (wait func(result any) error) {
	return p.invoke(ctx, in, "objectId", object, function, args)
}

func (p *Page) invoke(ctx context.Context, in cdpclient.SessionID, of, id, function string,
	args []any) (wait func(result any) error) {
	if ctx.Err() != nil {
		err := notSent(ctx, cdpclient.RuntimeCallFunctionOn)
		return func(any) error { return err }
	}
	given := make([]cdpclient.CallArgument, len(args))
	for i, a := range args {
		given[i].Value = a
	}
	sent := p.Send(ctx, in, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"functionDeclaration": function, of: id, "arguments": given, "returnByValue": true, "awaitPromise": true,
	})
	return func(result any) error {
		var is cdpclient.EvaluateResult
		err := sent.Wait(ctx, &is)
		switch {
		case err != nil:
			return err
		case is.ExceptionDetails != nil:
			return thrown(is.ExceptionDetails)
		case result == nil || is.Result.Value == nil:
			return nil
		}
		if err := json.Unmarshal(is.Result.Value, result); err != nil {
			return fmt.Errorf("decode what the script returned: %w", err)
		}
		return nil
	}
}

func thrown(d *cdpclient.ExceptionDetails) *ScriptError {
	if e := d.Exception; e != nil {
		switch {
		case e.Description != "":
			return &ScriptError{e.Description}
		case len(e.Value) > 0:
			return &ScriptError{"threw " + string(e.Value)}
		case e.UnserializableValue != "":
			return &ScriptError{"threw " + e.UnserializableValue}
		}
	}
	return &ScriptError{d.Text}
}

// Explain returns a [*DocumentGone] if err is a refusal of Chrome because the document ref has ended. It returns
// other errors unchanged.
func (p *Page) Explain(ctx context.Context, ref FrameRef, err error) error {
	if !refused(err) {
		return err
	}
	// Chrome refuses commands for a document that has ended a moment before it reports the next document.
	ended := cdpclient.IsDocumentEnded(err)
	some, cancel := context.WithTimeout(ctx, tellsSoon)
	defer cancel()
	gone := p.await(some, func(o *owner) (bool, error) {
		_, err := o.document(ref)
		return !ended || err != nil, err
	})
	switch {
	case gone == nil:
		return err
	case some.Err() != nil && errors.Is(gone, context.Cause(some)):
		return err
	}
	return gone
}

// tellsSoon is how long Chrome may take to report the document that replaces one that ended.
const tellsSoon = 5 * time.Second

func refused(err error) bool {
	return sessionIsGone(err) || chromeError(err) != nil
}

// Resolve returns an object of the isolated world for a node of a document, given the node's backend id. The caller
// calls [Page.Release] when done. If Chrome refuses the node, most often because it no longer exists, the error is a
// [*NodeGone]. A node that exists but isn't in the document is no error.
func (p *Page) Resolve(ctx context.Context, f FrameRef, backendNode int) (objectID string, err error) {
	return p.resolve(ctx, f, Isolated, backendNode)
}

func (p *Page) resolve(ctx context.Context, f FrameRef, kind World, backendNode int) (objectID string, err error) {
	w, in, err := p.worldOf(ctx, f, kind)
	if err != nil {
		return "", err
	}
	var is struct{ Object cdpclient.RemoteObject }
	err = p.Call(ctx, in, "DOM.resolveNode", map[string]any{"backendNodeId": backendNode, "executionContextId": w.id},
		&is)
	if err != nil {
		if err = p.Explain(ctx, f, err); chromeError(err) != nil {
			err = &NodeGone{backendNode}
		}
		return "", err
	}
	err = p.await(ctx, func(o *owner) (bool, error) {
		now, err := o.document(f)
		if err == nil && now.session.id == in {
			if is := now.session.contexts[w.id]; is == nil || is.unique != w.unique {
				err = &DocumentGone{f, now.url}
			}
		}
		return true, err
	})
	if err != nil {
		p.conn.Post(in, cdpclient.RuntimeReleaseObject, cdpclient.ReleaseObjectParams{ObjectID: is.Object.ObjectID},
			nil)
		return "", err
	}
	return is.Object.ObjectID, nil
}

// Release releases objects of a document. It does not wait. If the document is gone, so are the objects, and Release
// does nothing.
func (p *Page) Release(f FrameRef, objectIDs ...string) {
	p.ask(func(o *owner) {
		is := o.frames[f.ID]
		if is == nil || is.session == nil || is.loader != f.Loader {
			return
		}
		for _, id := range objectIDs {
			o.post(is.session.id, cdpclient.RuntimeReleaseObject, cdpclient.ReleaseObjectParams{ObjectID: id}, nil)
		}
	})
}
