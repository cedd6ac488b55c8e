package input

import "math"

// Quad is four corners (x, y each) in the order of a box's: top left, top right, bottom right, bottom left. A
// transformed box can be any quadrilateral.
type Quad [8]float64

// Projection maps points of one plane onto another, including perspective, as CSS transforms do. It is a 3×3 matrix
// in row order.
type Projection [9]float64

// Identity maps every point to itself.
var Identity = Projection{1, 0, 0, 0, 1, 0, 0, 0, 1}

// Onto returns the Projection of a box of w by h, with a corner at the origin, onto q.
func Onto(q Quad, w, h float64) Projection {
	x0, y0, x1, y1, x2, y2, x3, y3 := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]
	dx1, dx2, sx := x1-x2, x3-x2, x0-x1+x2-x3
	dy1, dy2, sy := y1-y2, y3-y2, y0-y1+y2-y3
	d := dx1*dy2 - dx2*dy1
	g, k := (sx*dy2-dx2*sy)/d, (dx1*sy-sx*dy1)/d
	square := Projection{
		x1 - x0 + g*x1, x3 - x0 + k*x3, x0,
		y1 - y0 + g*y1, y3 - y0 + k*y3, y0,
		g, k, 1,
	}
	return square.After(Projection{1 / w, 0, 0, 0, 1 / h, 0, 0, 0, 1})
}

// After returns the Projection that applies first, then p.
func (p Projection) After(first Projection) Projection {
	var r Projection
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				r[3*i+j] += p[3*i+k] * first[3*k+j]
			}
		}
	}
	return r
}

// At maps the point x, y.
func (p Projection) At(x, y float64) (float64, float64) {
	w := p[6]*x + p[7]*y + p[8]
	return (p[0]*x + p[1]*y + p[2]) / w, (p[3]*x + p[4]*y + p[5]) / w
}

// Inverse returns the inverse of p. The inverse isn't finite if p flattens the plane.
func (p Projection) Inverse() Projection {
	a, b, c, d, e, f, g, h, i := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]
	det := a*(e*i-f*h) - b*(d*i-f*g) + c*(d*h-e*g)
	return Projection{
		(e*i - f*h) / det, (c*h - b*i) / det, (b*f - c*e) / det,
		(f*g - d*i) / det, (a*i - c*g) / det, (c*d - a*f) / det,
		(d*h - e*g) / det, (b*g - a*h) / det, (a*e - b*d) / det,
	}
}

// Finite says whether all elements of the matrix are finite. Otherwise p shows nothing.
func (p Projection) Finite() bool {
	for _, v := range p {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
