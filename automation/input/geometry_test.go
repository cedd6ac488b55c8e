package input

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestOntoMapsTheCorners(t *testing.T) {
	for name, q := range map[string]Quad{
		"a box":          {10, 20, 110, 20, 110, 70, 10, 70},
		"turned":         {50, 0, 100, 50, 50, 100, 0, 50},
		"mirrored":       {110, 20, 10, 20, 10, 70, 110, 70},
		"in perspective": {0, 0, 100, 10, 90, 80, 5, 120},
	} {
		p := Onto(q, 300, 200)
		for i, corner := range [][2]float64{{0, 0}, {300, 0}, {300, 200}, {0, 200}} {
			x, y := p.At(corner[0], corner[1])
			if math.Abs(x-q[2*i]) > 1e-6 || math.Abs(y-q[2*i+1]) > 1e-6 {
				t.Errorf("%s: corner %d is at %v, %v, not at %v, %v", name, i, x, y, q[2*i], q[2*i+1])
			}
		}
	}
}

func TestInverseUndoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		bend := func() float64 { return r.Float64() * 30 }
		q := Quad{bend(), bend(), 200 + bend(), bend(), 200 + bend(), 150 + bend(), bend(), 150 + bend()}
		outer := Onto(Quad{10, 10, 90, 20, 80, 95, 5, 70}, 300, 300)
		p := outer.After(Onto(q, 400, 300))
		x, y := r.Float64()*400, r.Float64()*300
		bx, by := p.Inverse().At(p.At(x, y))
		if math.Abs(bx-x) > 1e-6 || math.Abs(by-y) > 1e-6 {
			t.Fatalf("%v, %v came back as %v, %v", x, y, bx, by)
		}
	}
}

func TestFlattenedIsNotFinite(t *testing.T) {
	if Onto(Quad{10, 10, 10, 10, 10, 10, 10, 10}, 100, 100).Finite() {
		t.Error("a figure without area maps points")
	}
}
