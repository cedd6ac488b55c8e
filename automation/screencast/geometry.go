package screencast

import "math"

// geometry is where a picture's pixels are in the page: the metadata of Chrome's screencast frames.
type geometry struct {
	OffsetTop       float64 // of the page in what is shown, in device independent pixels
	PageScaleFactor float64
	DeviceWidth     float64 // of what is shown, in device independent pixels
	DeviceHeight    float64
}

// point is a place in a page, in CSS pixels of what is visible of its main document.
type point struct{ x, y float64 }

// at maps a place in the picture to the page. Both are given as parts of the picture's width and
// height, from 0 to 1. It is false for what isn't in the picture, or above the page.
func (g geometry) at(x, y float64) (point, bool) {
	within := func(part float64) bool { return part >= 0 && part <= 1 } // no NaN is
	if !within(x) || !within(y) || !(g.DeviceWidth > 0) || !(g.DeviceHeight > 0) {
		return point{}, false
	}
	scale := g.PageScaleFactor
	if !(scale > 0) {
		scale = 1
	}
	p := point{math.Floor(x * g.DeviceWidth / scale), math.Floor((y*g.DeviceHeight - g.OffsetTop) / scale)}
	return p, p.y >= 0
}
