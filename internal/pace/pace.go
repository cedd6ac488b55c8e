// Package pace sets the pace of this process's garbage collector by how large
// its heap is: a small one is collected seldom, because Go's default would collect it
// every few milliseconds of a storm; a large one soon enough that its garbage
// stays small too. A memory limit (GOMEMLIMIT) could do the second as well, but a hub
// whose live heap came near it would do nothing but collect.
//
// What the environment says goes before: with GOGC set, nothing is done here.
//
// Its functions may be called from any goroutine.
package pace

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	// room is how many bytes of garbage may pile up.
	room = 64 << 20
	// most and least bound how much that is in percent of the live heap, as in
	// GOGC. Least is Go's default: to collect more often costs much and saves little.
	most, least = 400, 100
)

// percent gives GOGC for a heap of which so many bytes are live.
func percent(live uint64) int {
	return int(min(max(100*room/max(live, 1), least), most))
}

// Start keeps the pace until stop is called, which brings back what was before.
// Only one may be running.
func Start() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	p := &pacer{set: most}
	before := debug.SetGCPercent(most)
	p.afterNextGC()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.over.Swap(true) {
			debug.SetGCPercent(before)
		}
	}
}

type pacer struct {
	over atomic.Bool
	mu   sync.Mutex // guards set and SetGCPercent
	set  int
}

// sentinel is garbage as soon as it is made, so its cleanup runs after each
// collection. It has a size of its own so that it shares its memory with nothing.
type sentinel struct{ _ [64]byte }

func (p *pacer) afterNextGC() {
	runtime.AddCleanup(&sentinel{}, func(p *pacer) {
		if !p.over.Load() {
			p.adjust()
			p.afterNextGC()
		}
	}, p)
}

// adjust sets the pace for the heap that the last collection has left. Small
// differences don't count: setting it stops the program for a moment.
func (p *pacer) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := percent(live[0].Value.Uint64()); !p.over.Load() && 10*max(want-p.set, p.set-want) > p.set {
		p.set = want
		debug.SetGCPercent(want)
	}
}
