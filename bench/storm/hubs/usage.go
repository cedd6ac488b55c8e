package hubs

import (
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"webmcphub/bench/machine"
)

// Usage is what a process has used so far, and has now.
type Usage struct {
	CPU        time.Duration
	Allocs     uint64 // objects ever allocated
	Heap       uint64 // bytes of live objects at the last collection
	RSS, Peak  int64  // bytes; Peak since the last resetPeak
	Goroutines int
}

// Own reads this process's. fresh collects garbage before, so that Heap is
// what is in use, and makes Peak begin anew.
func Own(fresh bool) Usage {
	if fresh {
		runtime.GC()
		resetPeak()
	}
	u := Usage{CPU: machine.OwnCPU(), Goroutines: runtime.NumGoroutine()}
	s := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	u.Allocs, u.Heap = s[0].Value.Uint64(), s[1].Value.Uint64()
	u.RSS, _ = machine.Status(os.Getpid(), "VmRSS") // 0 where the system doesn't tell
	u.Peak, _ = machine.Status(os.Getpid(), "VmHWM")
	return u
}

// resetPeak makes VmHWM begin anew, where the system lets us.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
