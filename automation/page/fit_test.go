package page

import (
	"math"
	"testing"
)

// TestFit: whatever is wanted, a picture has no more pixels on a side, and in all, than are let through,
// and as many as are.
func TestFit(t *testing.T) {
	for _, side := range []int{-1, 0, 500, MaxSide, 100_000} {
		for _, ratio := range []float64{0.5, 1, 3} {
			for _, width := range []float64{1, 400, 1280, 8192, 16384, 40_000} {
				for _, height := range []float64{1, 800, 8192, 16384, 1e6} {
					whole := Rect{0, 0, width, height}
					shows, scale := fit(whole, ratio, side)
					w, h := shows.Width*scale*ratio, shows.Height*scale*ratio
					if w*h > maxPixels*1.001 || max(w, h) > MaxSide+1 || scale > 1 || scale <= 0 || shows.Width != width || shows.Height > height {
						t.Errorf("%v at %v, side %d: %v at %v, %.0f×%.0f", whole, ratio, side, shows, scale, w, h)
					}
				}
			}
		}
	}
	if _, scale := fit(Rect{0, 0, 16384, 16384}, 1, -1); math.Abs(scale-0.5) > 0.001 {
		t.Errorf("the largest square is scaled to %v", scale)
	}
	if shows, scale := fit(Rect{0, 0, 8192, 8192}, 1, -1); scale != 1 || shows.Height != 8192 {
		t.Errorf("64 MP are scaled to %v", scale)
	}
}
