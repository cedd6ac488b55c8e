package emulation

import (
	"context"
	"math"
	"reflect"
	"time"

	"webmcphub/automation/page"
)

// After Chrome has set another size, the page needs some frames to take it, and longer in the background. If the page
// doesn't have the size after takesShape, the window was resized meanwhile.
const (
	takesShape = time.Second
	lookAgain  = 10 * time.Millisecond
)

// size returns the size of the page's content, whatever width of the device the page assumes.
func size(ctx context.Context, p *page.Page) (s [2]float64, known bool) {
	main, there := p.Main()
	const look = `() => [innerWidth, innerHeight].map(side => side * (visualViewport ? visualViewport.scale : 1))`
	return s, there && p.Evaluate(ctx, main.FrameRef, page.Bare, look, nil, &s) == nil
}

// screenFor returns the size that a page will have with settings, and whether they change it.
func (e *Page) screenFor(ctx context.Context, p *page.Page, to Settings) (want [2]float64, changes bool) {
	if reflect.DeepEqual(screen(to), screen(e.is)) {
		return want, false
	}
	if !e.is.sized() {
		e.own, e.known = size(ctx, p)
	}
	switch {
	case to.Viewport != nil:
		return [2]float64{float64(to.Viewport.Width), float64(to.Viewport.Height)}, true
	case to.Size != nil:
		return [2]float64{float64(to.Size.Width), float64(to.Size.Height)}, true
	}
	return e.own, e.known
}

func (s Settings) sized() bool { return s.Viewport != nil || s.Size != nil }

// takeShape waits for up to takesShape until the page has a size.
func takeShape(ctx context.Context, p *page.Page, want [2]float64) {
	ctx, cancel := context.WithTimeout(ctx, takesShape)
	defer cancel()
	for {
		is, known := size(ctx, p)
		if !known || math.Abs(is[0]-want[0]) < 2 && math.Abs(is[1]-want[1]) < 2 || p.Pause(ctx, lookAgain) != nil {
			return
		}
	}
}
