package page

import "context"

// Permit says what one call may see and do on a page. Any goroutine may call its methods, including the page's own.
type Permit interface {
	// CheckRead returns an error if the call may not look into a frame. It returns at once.
	CheckRead(ctx context.Context, f Frame) error
	// CheckDocument returns an error if input of the call that is meant for one element may not arrive in the given
	// other frame. frames are the page's frames. It returns at once.
	CheckDocument(frames []Frame, f Frame) error
	// CheckAct returns an error if the call may not act now, which can be long after it began.
	CheckAct(ctx context.Context) error
}

// With returns the page for one call: it sees and does only what the permit allows. A nil permit allows all that
// [Options].Permits permits.
func (p *Page) With(permit Permit) *Page { return &Page{shared: p.shared, permit: permit} }

// ReachingAll returns the page for input that may arrive in any frame into which the call may look.
func (p *Page) ReachingAll() *Page {
	return &Page{shared: p.shared, permit: p.permit, reachesAll: true}
}

// CheckRead returns a [*NotPermitted] if the call may not look into a frame, or else nil.
func (p *Page) CheckRead(ctx context.Context, f Frame) error {
	if !f.Permitted {
		return &NotPermitted{Origin: f.Origin}
	}
	if p.permit != nil {
		if err := p.permit.CheckRead(ctx, f); err != nil {
			return &NotPermitted{f.Origin, err}
		}
	}
	return nil
}

// CheckDocument returns an error if input that is meant for one element may not arrive in the given other frame. It
// doesn't check whether the frame may be looked into; see [Page.CheckRead].
func (p *Page) CheckDocument(frames []Frame, f Frame) error {
	if p.permit == nil || p.reachesAll {
		return nil
	}
	return p.permit.CheckDocument(frames, f)
}

// Act calls press, unless the call may not act now.
func (p *Page) Act(ctx context.Context, press func() error) error {
	if p.permit != nil {
		if err := p.permit.CheckAct(ctx); err != nil {
			return err
		}
	}
	return press()
}
