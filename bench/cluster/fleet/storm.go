package fleet

import (
	"context"
	"math/rand/v2"
	"time"
)

// Storm has the pages of some browsers change, so many times a second together (a removal and
// a registration are two changes), until ctx ends, and gives how many changes there were and
// when the last one was made. At the end every tool is there, each in a version of its own.
func (f *Fleet) Storm(ctx context.Context, browsers []int, rate float64) (changes int, ended time.Time) {
	const tick = 2 * time.Millisecond
	clock := time.NewTicker(tick)
	defer clock.Stop()
	r := rand.New(rand.NewPCG(1, 2))
	begun := time.Now()
	for ctx.Err() == nil {
		for due := int(time.Since(begun).Seconds() * rate); changes < due && ctx.Err() == nil; changes += 2 {
			i := browsers[r.IntN(len(browsers))]
			tool := steady + r.IntN(len(f.browsers[i].there)-steady)
			f.remove(i, tool)
			f.add(i, tool)
		}
		select {
		case <-clock.C:
		case <-ctx.Done():
		}
	}
	return changes, time.Now()
}
