package page

import (
	"cmp"
	"context"
	"slices"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// FrameRef names one document in one frame.
type FrameRef struct {
	ID     string // of the frame
	Loader string // names the document
}

// Frame is one frame with its document, as of the moment.
type Frame struct {
	FrameRef
	Parent    string              // the frame around it; "" for the main one
	Session   cdpclient.SessionID // where to send commands for it
	URL       string
	Origin    string // as Chrome says: "null" for an opaque one, "" while it isn't known
	Permitted bool   // whether the hub may look into it
	Name      string
	Late      bool // its process was waited for in vain, and has answered nothing since
}

// Address is the document's address as it may be told: of one that the hub may not look into
// only its origin, as the rest may hold secrets.
func (f Frame) Address() string {
	if !f.Permitted {
		return f.Origin
	}
	return f.URL
}

// view is what is published of a page. It isn't changed any more.
type view struct {
	frames   []Frame
	untold   []Frame
	dialog   *Dialog
	contexts map[inSession]string // the frames of pages' own execution contexts
	whose    map[cdpclient.SessionID][]string
}

type inSession struct {
	session cdpclient.SessionID
	context int
}

// FrameOfContext is the frame that an execution context of the page's own scripts is of; ""
// if it isn't known.
func (p *Page) FrameOfContext(s cdpclient.SessionID, context int) string {
	return p.view.Load().contexts[inSession{s, context}]
}

// Frames are the page's frames, the main one first, then depth first in document order
// as far as that is known. Those that are between two processes or documents are left
// out, with the frames inside them. The copy is the caller's.
func (p *Page) Frames() []Frame { return slices.Clone(p.view.Load().frames) }

// Untold are frames that may be drawn while it isn't known all that they show: they are between two
// processes, or theirs hasn't told yet which frames it has, as a busy one. No origin is known of them.
// The main frame can be one. The copy is the caller's.
func (p *Page) Untold() []Frame { return slices.Clone(p.view.Load().untold) }

// Sessions are those of the page and its frames.
func (p *Page) Sessions() (all []cdpclient.SessionID) {
	for _, f := range p.Frames() {
		if !slices.Contains(all, f.Session) {
			all = append(all, f.Session)
		}
	}
	return all
}

// Whose is a document's origin; of one that is opaque or unknown also that of its address and those of the
// documents around it, up to one whose is known. frames are those of the page.
func Whose(frames []Frame, f Frame) (all []string) {
	for {
		own := names.Whose(cmp.Or(f.Origin, names.OpaqueOrigin), f.URL)
		for _, o := range own {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
		at := slices.IndexFunc(frames, func(around Frame) bool { return around.ID == f.Parent })
		if own[0] != names.OpaqueOrigin || at < 0 {
			return all
		}
		f = frames[at]
	}
}

// OriginsIn are those of all documents of a session; of an opaque one those of [Whose]. The slice isn't changed any more.
func (p *Page) OriginsIn(s cdpclient.SessionID) []string { return p.view.Load().whose[s] }

// Main is the main frame; false while there is none.
func (p *Page) Main() (Frame, bool) {
	frames := p.view.Load().frames
	if len(frames) == 0 {
		return Frame{}, false
	}
	return frames[0], true
}

// publish makes what is true now what others read.
func (o *owner) publish() {
	if !o.dirty {
		return
	}
	o.dirty = false
	v := &view{dialog: o.open, contexts: map[inSession]string{}}
	for _, s := range o.sessions {
		for _, w := range s.contexts {
			if w.kind == Main {
				v.contexts[inSession{s.id, w.id}] = w.frame
			}
		}
	}
	kids := map[string][]*frame{}
	for _, f := range o.frames {
		if f.id != o.main {
			kids[f.parent] = append(kids[f.parent], f)
		}
	}
	var add func(f *frame)
	add = func(f *frame) {
		if f == nil || f.session == nil || f.loader == "" {
			return
		}
		v.frames = append(v.frames, o.describe(f))
		slices.SortFunc(kids[f.id], func(a, b *frame) int { return cmp.Compare(a.order, b.order) })
		for _, kid := range kids[f.id] {
			add(kid)
		}
	}
	add(o.frames[o.main])
	v.untold = o.untold()
	v.whose = map[cdpclient.SessionID][]string{}
	for _, f := range v.frames {
		is := Whose(v.frames, f)
		for _, by := range is {
			if (by != names.OpaqueOrigin || len(is) == 1) && !slices.Contains(v.whose[f.Session], by) {
				v.whose[f.Session] = append(v.whose[f.Session], by)
			}
		}
	}
	o.view.Store(v)
}

// untold is what [Page.Untold] says. The empty document that a frame without any begins with is its page's.
func (o *owner) untold() (all []Frame) {
	for _, f := range o.frames {
		if s := f.session; s == nil || s.root == f.id && (s.asked > 0 || f.loader == "") {
			all = append(all, Frame{FrameRef: FrameRef{ID: f.id}, Parent: f.parent, Permitted: o.permits(""),
				Late: s != nil && s.late})
		}
	}
	return all
}

func (o *owner) describe(f *frame) Frame {
	origin := o.origin(f)
	return Frame{
		FrameRef: FrameRef{f.id, f.loader}, Parent: f.parent, Session: f.session.id,
		URL: f.url, Origin: origin, Permitted: o.permits(origin) && !names.IsLive(f.url), Name: f.name,
		Late: f.session.late,
	}
}

// origin is a document's, by its own world.
func (o *owner) origin(f *frame) string {
	said := ""
	if w := f.session.world(f.id, Main); w != nil {
		said = w.origin
	}
	return names.DocumentOrigin(said, f.url)
}

func (o *owner) permits(origin string) bool { return o.opt.Permits == nil || o.opt.Permits(origin) }

type seeingKey struct{}

// Seeing has what is done with the context look only into frames that may gives no reason
// against, besides what [Options].Permits says. It is asked anew each time, by any
// goroutine, and must answer at once.
func Seeing(ctx context.Context, may func(Frame) error) context.Context {
	return context.WithValue(ctx, seeingKey{}, may)
}

// Hidden says why a frame may not be looked into: a [*NotPermitted]. Nil is that it may.
func Hidden(ctx context.Context, f Frame) error {
	if !f.Permitted {
		return &NotPermitted{Origin: f.Origin}
	}
	if may, ask := ctx.Value(seeingKey{}).(func(Frame) error); ask {
		if err := may(f); err != nil {
			return &NotPermitted{f.Origin, err}
		}
	}
	return nil
}

type actingKey struct{}

// Acting has may be asked right before each press of what is done with the context, which may
// be long after it began. An error ends the action; may answers at once.
func Acting(ctx context.Context, may func() error) context.Context {
	return context.WithValue(ctx, actingKey{}, may)
}

type withinKey struct{}

// Within has what is done with the context, and meant for one element, act only in documents that
// may gives no reason against: it is asked with the page's frames and one of them. It is asked by
// any goroutine, the page's own too, and must answer at once.
func Within(ctx context.Context, may func(frames []Frame, f Frame) error) context.Context {
	return context.WithValue(ctx, withinKey{}, may)
}

// Barred says why what is meant for one element may not arrive in another frame, besides that the
// frame may not be looked into. Nil is that it may.
func Barred(ctx context.Context, frames []Frame, f Frame) error {
	if may, ask := ctx.Value(withinKey{}).(func([]Frame, Frame) error); ask {
		return may(frames, f)
	}
	return nil
}

// Act presses, unless there is a reason not to.
func Act(ctx context.Context, press func() error) error {
	if ask, is := ctx.Value(actingKey{}).(func() error); is {
		if err := ask(); err != nil {
			return err
		}
	}
	return press()
}
