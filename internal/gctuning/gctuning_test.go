package gctuning

import (
	"runtime"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 16 << 20: 400, 32 << 20: 200, 64 << 20: 100, 128 << 20: 100, 1 << 40: 100} {
		if got := percent(live); got != want {
			t.Errorf("with %d bytes live it is %d %%, want %d %%", live, got, want)
		}
	}
}

// GOGC follows the heap, up and down, and ends with stop.
func TestPaceFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	stop := Start()
	defer stop()
	now := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	await := func(what string, good func(int) bool) {
		for range 1000 { // cleanups run soon after a collection, in a goroutine of the runtime's
			if good(now()) {
				return
			}
			runtime.GC()
			runtime.Gosched()
		}
		t.Errorf("%s: GOGC is %d", what, now())
	}
	if p := now(); p != 400 {
		t.Errorf("it begins with %d", p)
	}
	heap := make([]byte, 40<<20)
	await("with 40 MiB", func(p int) bool { return p > 140 && p < 170 })
	runtime.KeepAlive(heap)
	await("with nothing", func(p int) bool { return p == 400 })
	stop()
	if p := now(); p != 100 {
		t.Errorf("it is left at %d", p)
	}
}

func TestEnvironmentGoesBefore(t *testing.T) {
	t.Setenv("GOGC", "77")
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	defer Start()()
	if p := debug.SetGCPercent(77); p != 77 {
		t.Errorf("GOGC became %d", p)
	}
}
