package page

import "context"

// FrameElement is the element that shows a frame.
type FrameElement struct {
	In      Frame  // the frame whose document has the element
	Inner   Frame  // the frame that the element shows
	Backend int    // the element's backend node id
	Object  string // an object of In's isolated world, which the caller releases by [Page.Release]; see [Page.Resolve]
}

// FrameElement returns the element that shows a frame.
func (p *Page) FrameElement(ctx context.Context, f Frame) (FrameElement, error) {
	around, there := FrameByID(p.Frames(), f.Parent)
	if !there {
		return FrameElement{}, &DocumentGone{Frame: f.FrameRef}
	}
	e := FrameElement{In: around, Inner: f}
	return e, p.Explain(ctx, f.FrameRef, p.FindElement(ctx, &e))
}

// FindElement sets Backend and Object of an element of which only the frames are known.
func (p *Page) FindElement(ctx context.Context, e *FrameElement) (err error) {
	if e.Backend, err = p.FrameOwner(ctx, e.In, e.Inner); err == nil {
		e.Object, err = p.Resolve(ctx, e.In.FrameRef, e.Backend)
	}
	return err
}

// FrameOwner returns the backend node id of the element in the frame in that shows the frame inner.
func (p *Page) FrameOwner(ctx context.Context, in, inner Frame) (backendNode int, err error) {
	var owner struct{ BackendNodeID int }
	err = p.Call(ctx, in.Session, "DOM.getFrameOwner", map[string]any{"frameId": inner.ID}, &owner)
	return owner.BackendNodeID, err
}

// KeptOut returns the outermost frames into which the hub may not look.
func (p *Page) KeptOut(ctx context.Context) (out []Frame) {
	permitted := map[string]bool{"": true}
	for _, f := range p.Frames() { // outer frames come before those inside them
		permitted[f.ID] = p.CheckRead(ctx, f) == nil
		if !permitted[f.ID] && permitted[f.Parent] {
			out = append(out, f)
		}
	}
	return out
}
