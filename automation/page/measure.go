package page

import (
	"context"
	"errors"
	"fmt"
	"math"

	"webmcphub/cdpclient"
)

// layout is the size of a page and the part to which it is scrolled.
type layout struct {
	view    Rect // the visible part, in the document's CSS pixels
	content Rect // the whole page
	ratio   float64
}

func (r Rect) holds(o Rect) bool {
	return o.X >= r.X && o.Y >= r.Y && o.X+o.Width <= r.X+r.Width+0.5 && o.Y+o.Height <= r.Y+r.Height+0.5
}

func measure(ctx context.Context, p *Page) (layout, error) {
	var m struct {
		CSSVisualViewport struct{ PageX, PageY, ClientWidth, ClientHeight float64 }
		CSSContentSize    Rect
		VisualViewport    struct{ ClientWidth float64 }
	}
	sent := p.Send(ctx, "", "Page.getLayoutMetrics", nil)
	// The metrics don't include an emulated device pixel ratio, which the picture has.
	ratio := 0.0
	if main, there := p.Main(); there && main.Permitted {
		_ = p.Evaluate(ctx, main.FrameRef, Bare, "() => devicePixelRatio", nil, &ratio)
	}
	if err := sent.Wait(ctx, &m); err != nil {
		return layout{}, err
	}
	v := m.CSSVisualViewport
	l := layout{view: Rect{v.PageX, v.PageY, v.ClientWidth, v.ClientHeight}, content: m.CSSContentSize, ratio: 1}
	if v.ClientWidth > 0 && m.VisualViewport.ClientWidth > 0 {
		l.ratio = m.VisualViewport.ClientWidth / v.ClientWidth
	}
	if ratio > 0 {
		l.ratio = ratio
	}
	return l, nil
}

// quads is the result of DOM.getContentQuads.
type quads struct{ Quads [][]float64 }

// bounds returns the smallest rectangle around all quads, or false if there are none.
func (q quads) bounds() (Rect, bool) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, quad := range q.Quads {
		for i := 0; i+1 < len(quad); i += 2 {
			left, right = min(left, quad[i]), max(right, quad[i])
			top, bottom = min(top, quad[i+1]), max(bottom, quad[i+1])
		}
	}
	if left > right {
		return Rect{}, false
	}
	return Rect{left, top, right - left, bottom - top}, true
}

var errNoBox = errors.New("the element isn't rendered, so there is nothing to capture")

// locate returns an element's rectangle in the main document, going through the frames around the element. It scrolls
// the element into view first.
func locate(ctx context.Context, p *Page, e CapturedElement) (Rect, error) {
	frames := p.Frames()
	f, there := FrameByID(frames, e.Frame.ID)
	if !there || f.FrameRef != e.Frame {
		return Rect{}, &DocumentGone{Frame: e.Frame, Now: f.Address()}
	}
	if err := p.Call(ctx, f.Session, "DOM.scrollIntoViewIfNeeded", map[string]any{"backendNodeId": e.BackendNode},
		nil); err != nil {
		return Rect{}, unrendered(err)
	}
	var is quads
	if err := p.Call(ctx, f.Session, "DOM.getContentQuads", map[string]any{"backendNodeId": e.BackendNode},
		&is); err != nil {
		return Rect{}, unrendered(err)
	}
	box, ok := is.bounds()
	if !ok {
		return Rect{}, errNoBox
	}
	for local := f; local.Parent != ""; { // quads are relative to the outermost frame in the process
		outer, known := FrameByID(frames, local.Parent)
		if !known {
			return Rect{}, &DocumentGone{Frame: e.Frame}
		}
		if outer.Session != local.Session {
			inside, err := content(ctx, p, outer, local)
			if err != nil {
				return Rect{}, err
			}
			box.X, box.Y = box.X+inside.X, box.Y+inside.Y
		}
		local = outer
	}
	now, err := measure(ctx, p) // scrollIntoViewIfNeeded may have scrolled the page
	box.X, box.Y = box.X+now.view.X, box.Y+now.view.Y
	return box, err
}

// content returns the place of a frame's document in the document around it.
func content(ctx context.Context, p *Page, outer, frame Frame) (Rect, error) {
	element, err := p.FrameOwner(ctx, outer, frame)
	if err != nil {
		return Rect{}, err
	}
	var box struct{ Model struct{ Content []float64 } }
	if err := p.Call(ctx, outer.Session, "DOM.getBoxModel", map[string]any{"backendNodeId": element}, &box); err != nil {
		return Rect{}, unrendered(err)
	}
	is, ok := quads{[][]float64{box.Model.Content}}.bounds()
	if !ok {
		return Rect{}, errNoBox
	}
	return is, nil
}

// unrendered says in plainer words why Chrome has no box for an element.
func unrendered(err error) error {
	if refusal, ok := errors.AsType[*cdpclient.Error](err); ok {
		return fmt.Errorf("%w (%s)", errNoBox, refusal.Message)
	}
	return err
}
