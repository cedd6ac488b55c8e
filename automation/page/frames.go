package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry/sanitize"
)

// tree holds what is known of the page's frames.
type tree struct {
	frames map[string]*frame
	main   string
	orders map[string]int // frames' positions by id, also of frames that may come back
}

// maxOrders bounds how many positions are remembered.
const maxOrders = 5000

// frame is one frame and its current document.
type frame struct {
	id, parent string
	session    *session // nil while the frame is between two processes
	loader     string   // "" until the document is known
	url, name  string
	coming     string // the loader id of its next document, while that is on its way
	back       bool   // coming is a document of the history
	aborted    string // the loader id of a document that never came
	order      int    // the frame's position: frames are counted as they become known
	making     *world
	origin     judged
}

// judged is a document's origin with the values from which it was computed.
type judged struct{ reported, url, origin string }

func newTree() tree { return tree{frames: map[string]*frame{}, orders: map[string]int{}} }

func (o *owner) addFrame(id, parent string) *frame {
	if len(o.orders) >= maxOrders {
		clear(o.orders)
	}
	order, known := o.orders[id]
	if !known {
		order = len(o.orders) + 1
		o.orders[id] = order
	}
	f := &frame{id: id, parent: parent, order: order}
	o.frames[id] = f
	o.dirty = true
	return f
}

// apart says whether a frame is the root of a session of its own.
func (f *frame) apart() bool { return f.session != nil && f.session.root == f.id }

// moveTo records that a frame's document is in a session's process from now on.
func (o *owner) moveTo(id string, s *session) {
	f := o.frames[id]
	if f == nil {
		f = o.addFrame(id, "")
	}
	if f.session != s {
		if f.session != nil { // otherwise its children in other processes may already be known
			o.removeKids(f)
		}
		f.session, f.loader, f.making = s, "", nil
		o.dirty = true
	}
}

// frameIn returns the frame about which session s reports, and adds it if it is new. It returns nil if the report is
// outdated: a frame that has a session of its own is no longer in s.
func (o *owner) frameIn(s *session, id, parent string) *frame {
	f := o.frames[id]
	switch {
	case f == nil:
		f = o.addFrame(id, parent)
	case f.session != s && f.apart():
		return nil
	}
	if parent != "" {
		f.parent = parent
	}
	o.moveTo(id, s)
	return f
}

func (o *owner) removeFrame(f *frame) {
	if o.frames[f.id] != f || f.id == o.main {
		return
	}
	delete(o.frames, f.id)
	o.removeKids(f)
	o.dirty = true
}

// removeKids removes the frames inside a document that has ended. Chrome doesn't always report each of them.
func (o *owner) removeKids(f *frame) {
	for _, kid := range o.frames {
		if kid.parent == f.id {
			o.removeFrame(kid)
		}
	}
}

// navigated records a frame's next document.
func (o *owner) navigated(s *session, e cdpclient.FrameNavigated) {
	s.changes++
	f := o.frameIn(s, e.Frame.ID, e.Frame.ParentID)
	if f == nil {
		return
	}
	restored := e.Type == cdpclient.NavigationBFCache
	if f.loader != "" && f.loader != e.Frame.LoaderID && !restored {
		o.removeKids(f)
	}
	if old := f.loader; old != "" && old != e.Frame.LoaderID {
		delete(o.levels, old)
	}
	o.arrive(f, e.Frame)
	o.loadCommitted(f, e)
	if restored {
		o.askTree(s) // its frames are back, and Chrome doesn't report them
	}
}

func (o *owner) arrive(f *frame, now cdpclient.Frame) {
	if f.loader != now.LoaderID {
		f.making = nil
	}
	f.loader, f.url = now.LoaderID, now.URL+now.URLFragment
	if now.Name != "" || !f.apart() { // the process of an out-of-process frame doesn't report the name
		f.name = now.Name
	}
	if f.parent == "" && f.session == o.tab {
		o.mainIs(f)
	}
	o.dirty = true
}

// mainIs records which frame is the main one. When Chrome activates a prerendered page, the main frame changes.
func (o *owner) mainIs(f *frame) {
	old := o.frames[o.main]
	o.main, o.tab.root = f.id, f.id
	if len(o.mains) == 0 {
		o.mains = []string{f.loader}
	}
	if old != nil && old != f {
		o.removeFrame(old)
	}
}

func (o *owner) frameAttached(s *session, e cdpclient.FrameAttached) {
	s.changes++
	o.frameIn(s, e.FrameID, e.ParentFrameID)
}

func (o *owner) frameDetached(s *session, e cdpclient.FrameDetached) {
	s.changes++
	f := o.frames[e.FrameID]
	switch {
	case f == nil:
	case e.Reason != cdpclient.DetachSwap:
		o.removeFrame(f)
	case f.session == s && !f.apart(): // the session in the new process follows or has come already
		f.session, f.loader = nil, ""
		o.removeKids(f)
		o.dirty = true
	}
}

func (o *owner) within(s *session, e cdpclient.NavigatedWithinDocument) {
	if f := o.frames[e.FrameID]; f != nil && f.session == s {
		f.url = e.URL
		o.dirty = true
		o.movedWithin(f)
	}
}

// askTree asks which frames a session has. The reply may come from the frame's former process, after events of the
// present one. So if anything has changed meanwhile, askTree asks again.
func (o *owner) askTree(s *session) {
	changes := s.changes
	s.pending++
	o.post(s.id, cdpclient.PageGetFrameTree, nil, func(r cdpclient.Reply) {
		s.pending, o.dirty = s.pending-1, true
		if r.Err != nil || o.sessions[s.id] != s {
			return
		}
		if s.changes != changes {
			o.askTree(s)
			return
		}
		var is cdpclient.GetFrameTreeResult
		if json.Unmarshal(r.Result, &is) == nil {
			o.reconcile(s, is.FrameTree)
		}
	})
}

// reconcile updates the frames of a session to what the session's process reports.
func (o *owner) reconcile(s *session, t cdpclient.FrameTree) {
	there := map[string]bool{}
	var walk func(t cdpclient.FrameTree)
	walk = func(t cdpclient.FrameTree) {
		there[t.Frame.ID] = true
		if f := o.frameIn(s, t.Frame.ID, t.Frame.ParentID); f != nil {
			o.arrive(f, t.Frame)
		}
		for _, kid := range t.ChildFrames {
			walk(kid)
		}
	}
	walk(t)
	for _, f := range o.frames {
		parent := o.frames[f.parent]
		if !there[f.id] && (f.session == s || f.session == nil && parent != nil && parent.session == s &&
			!o.awaited(f.id)) {
			o.removeFrame(f)
		}
	}
}

// awaited says whether there is a session whose root is the frame.
func (o *owner) awaited(frame string) bool {
	for _, s := range o.sessions {
		if s.root == frame {
			return true
		}
	}
	return false
}

// frameAppears is how long a page may take to have a frame, or to say what its frames show.
const frameAppears = time.Second

// soon waits until met, which reads what the page publishes, returns true, for frameAppears at most.
func (p *Page) soon(ctx context.Context, met func() bool) {
	ctx, cancel := context.WithTimeout(ctx, frameAppears)
	defer cancel()
	_ = p.await(ctx, func(*owner) (bool, error) { return met(), nil })
}

// AwaitMain returns the page's main frame. Right after a dialog the main frame may not be known yet, so AwaitMain
// waits for up to frameAppears.
func (p *Page) AwaitMain(ctx context.Context) (Frame, error) {
	p.soon(ctx, func() bool { _, there := p.Main(); return there })
	main, there := p.Main()
	if !there {
		return main, errors.New("the page has no document now; try again in a moment")
	}
	return main, nil
}

// FrameAt returns the one frame whose address contains text. It waits for up to frameAppears until there is one.
func (p *Page) FrameAt(ctx context.Context, text string) (FrameRef, error) {
	text = sanitize.Text(text, 1000)
	matching := func() (found []Frame) {
		return slices.DeleteFunc(p.Frames(), func(f Frame) bool { return !strings.Contains(f.Address(), text) })
	}
	p.soon(ctx, func() bool { return len(matching()) > 0 })
	found := matching()
	switch {
	case len(found) == 1 && !found[0].Permitted:
		return FrameRef{}, &NotPermitted{Origin: found[0].Origin}
	case len(found) == 1:
		return found[0].FrameRef, nil
	}
	all, frames := []string(nil), p.Frames()
	for _, f := range frames[:min(20, len(frames))] {
		all = append(all, sanitize.Text(f.Address(), 100))
	}
	return FrameRef{}, fmt.Errorf("%d frames have an address with %q, and it takes one. Frames: %s", len(found), text,
		strings.Join(all, ", "))
}
