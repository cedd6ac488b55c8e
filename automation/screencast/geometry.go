package screencast

import "math"

// geometry maps a picture's pixels to the page. It is the metadata of Chrome's screencast frames.
type geometry struct {
	OffsetTop       float64 // where the page begins in the picture, in device independent pixels
	PageScaleFactor float64
	DeviceWidth     float64 // what the picture shows, in device independent pixels
	DeviceHeight    float64
}

// point is a place in a page, in CSS pixels of the visible part of its main document.
type point struct{ x, y float64 }

// at maps a place in the picture to the page. x and y are fractions of the picture's width and height, from 0 to 1.
// It returns false for a place that is outside the picture or above the page.
func (g geometry) at(x, y float64) (point, bool) {
	within := func(part float64) bool { return part >= 0 && part <= 1 } // false for NaN
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
