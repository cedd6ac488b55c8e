// Package gctuning sets GOGC by the size of the heap. A small heap is collected
// seldom, because Go's default would collect it every few milliseconds of a storm. A large heap is collected often
// enough that its garbage stays small, too. A memory limit (GOMEMLIMIT) could do the second as well, but a hub whose
// live heap came near the limit would do nothing but collect.
//
// If the environment sets GOGC, this package does nothing.
//
// Its functions may be called from any goroutine.
package gctuning

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	// room is how many bytes of garbage may accumulate.
	room = 64 << 20
	// most and least limit that in percent of the live heap, as in GOGC. least is Go's default: collecting more often
	// costs much and saves little.
	most, least = 400, 100
)

// percent returns GOGC for a heap with this many live bytes.
func percent(live uint64) int {
	return int(min(max(100*room/max(live, 1), least), most))
}

// Start sets GOGC until stop is called, which restores the previous setting. Only one Start may be in effect.
func Start() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	p := &tuner{set: most}
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

type tuner struct {
	over atomic.Bool
	mu   sync.Mutex // guards set and SetGCPercent
	set  int
}

// sentinel is garbage as soon as it is made, so its cleanup runs after each collection. It has a size of its own so
// that it shares its memory block with nothing.
type sentinel struct{ _ [64]byte }

func (p *tuner) afterNextGC() {
	runtime.AddCleanup(&sentinel{}, func(p *tuner) {
		if !p.over.Load() {
			p.adjust()
			p.afterNextGC()
		}
	}, p)
}

// adjust sets GOGC for the heap that the last collection has left. It ignores small differences, because changing
// the setting stops the program for a moment.
func (p *tuner) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := percent(live[0].Value.Uint64()); !p.over.Load() && 10*max(want-p.set, p.set-want) > p.set {
		p.set = want
		debug.SetGCPercent(want)
	}
}
