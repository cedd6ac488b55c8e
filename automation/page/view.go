package page

import (
	"cmp"
	"slices"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// FrameRef names one document in one frame.
type FrameRef struct {
	ID     string // of the frame
	Loader string // names the document
}

// Frame describes a frame and its document at one moment.
type Frame struct {
	FrameRef
	Parent    string              // the id of the frame around it; "" for the main one
	Session   cdpclient.SessionID // where to send commands for it
	URL       string
	Origin    string // as Chrome reports it: "null" for an opaque one, "" while it isn't known
	Permitted bool   // whether the hub may look into it
	Name      string
	Late      bool // a wait for its process timed out, and the process hasn't answered since
}

// Address returns the document's address in the form that an answer may contain. For a document that the hub may not
// look into, that is only the origin, because the rest may hold secrets.
func (f Frame) Address() string {
	if !f.Permitted {
		return f.Origin
	}
	return f.URL
}

// FrameByID returns the frame with an id, and whether it is among the frames.
func FrameByID(frames []Frame, id string) (f Frame, there bool) {
	if at := slices.IndexFunc(frames, func(f Frame) bool { return f.ID == id }); at >= 0 {
		return frames[at], true
	}
	return f, false
}

// view is the published state of a page. It is immutable.
type view struct {
	frames   []Frame
	unknown  []Frame
	dialog   *Dialog
	contexts map[inSession]string // frame ids by execution context of the pages' own scripts
	whose    map[cdpclient.SessionID][]string
}

type inSession struct {
	session cdpclient.SessionID
	context int
}

// FrameOfContext returns the id of the frame to which an execution context of the page's own scripts belongs, or ""
// if it isn't known.
func (p *Page) FrameOfContext(s cdpclient.SessionID, context int) string {
	return p.view.Load().contexts[inSession{s, context}]
}

// Frames returns the page's frames: the main one first, then depth first in document order, as far as that is known.
// Frames that are between two processes or documents are left out, with the frames inside them. The caller may change
// the slice.
func (p *Page) Frames() []Frame { return slices.Clone(p.view.Load().frames) }

// UnknownFrames returns the frames that may be visible although it isn't known what they show. Such a frame is
// between two processes, or its process hasn't yet said which frames it has, for example because it is busy. Their
// origins aren't known. The main frame can be among them. The caller may change the slice.
func (p *Page) UnknownFrames() []Frame { return slices.Clone(p.view.Load().unknown) }

// Sessions returns the sessions of the page and its frames.
func (p *Page) Sessions() (all []cdpclient.SessionID) {
	for _, f := range p.Frames() {
		if !slices.Contains(all, f.Session) {
			all = append(all, f.Session)
		}
	}
	return all
}

// Whose returns the origin of a document. For a document whose origin is opaque or unknown, it also returns the
// origin of the document's address and the origins of the documents around it, up to the first whose origin is known.
// frames are the page's frames.
func Whose(frames []Frame, f Frame) (all []string) {
	for {
		own := names.Whose(cmp.Or(f.Origin, names.OpaqueOrigin), f.URL)
		for _, o := range own {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
		around, there := FrameByID(frames, f.Parent)
		if own[0] != names.OpaqueOrigin || !there {
			return all
		}
		f = around
	}
}

// OriginsIn returns the origins of all documents of a session; for a document with an opaque origin, those of
// [Whose]. The slice is immutable.
func (p *Page) OriginsIn(s cdpclient.SessionID) []string { return p.view.Load().whose[s] }

// Main returns the main frame, or false while there is none.
func (p *Page) Main() (Frame, bool) {
	frames := p.view.Load().frames
	if len(frames) == 0 {
		return Frame{}, false
	}
	return frames[0], true
}

// publish stores the current state for readers in other goroutines, if it has changed.
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
	v.unknown = o.unknown()
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
	o.hearWorkers()
}

// unknown implements [Page.UnknownFrames]. A frame without any document shows the initial empty document, which
// belongs to the page around it.
func (o *owner) unknown() (all []Frame) {
	for _, f := range o.frames {
		if s := f.session; s == nil || s.root == f.id && (s.pending > 0 || f.loader == "") {
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

// origin returns a document's origin, as its main world reports it.
func (o *owner) origin(f *frame) string {
	reported := ""
	if w := f.session.world(f.id, Main); w != nil {
		reported = w.origin
	}
	// Parsing takes long, and there can be hundreds of frames.
	if f.origin.reported != reported || f.origin.url != f.url {
		f.origin = judged{reported, f.url, names.DocumentOrigin(reported, f.url)}
	}
	return f.origin.origin
}

func (o *owner) permits(origin string) bool { return o.opt.Permits == nil || o.opt.Permits(origin) }
