package page

import "context"

// FrameElement returns the element in which a frame is: the document around the frame, and an object of that
// document's isolated world. The caller calls [Page.Release] when done.
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
