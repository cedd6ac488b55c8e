package page

import "context"

// FrameElement gives the element that a frame is in: the document around it, and an object
// of that one's isolated world. [Page.Release] it when done.
func (p *Page) FrameElement(ctx context.Context, f Frame) (around Frame, objectID string, err error) {
	for _, around := range p.Frames() {
		if around.ID != f.Parent {
			continue
		}
		var owner struct{ BackendNodeID int }
		if err := p.Call(ctx, around.Session, "DOM.getFrameOwner", map[string]any{"frameId": f.ID},
			&owner); err != nil {
			return around, "", p.Explain(ctx, f.FrameRef, err)
		}
		objectID, err := p.Resolve(ctx, around.FrameRef, owner.BackendNodeID)
		return around, objectID, err
	}
	return Frame{}, "", &DocumentGone{Frame: f.FrameRef}
}

// KeptOut are the frames that the hub may not look into, without those inside of them.
func (p *Page) KeptOut(ctx context.Context) (out []Frame) {
	permitted := map[string]bool{"": true}
	for _, f := range p.Frames() { // the outer ones come first
		permitted[f.ID] = Hidden(ctx, f) == nil
		if !permitted[f.ID] && permitted[f.Parent] {
			out = append(out, f)
		}
	}
	return out
}
