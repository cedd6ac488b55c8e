package hubs

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
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
	u := Usage{Goroutines: runtime.NumGoroutine()}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.CPU = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	s := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	u.Allocs, u.Heap = s[0].Value.Uint64(), s[1].Value.Uint64()
	u.RSS, u.Peak = statusBytes("VmRSS"), statusBytes("VmHWM")
	return u
}

// statusBytes reads a figure of /proc/self/status, 0 where there is none.
func statusBytes(key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == key+":" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// resetPeak makes VmHWM begin anew, where the system lets us.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// TreeCPU is the processor time of a process and all below it, those that have
// ended included as far as their parents waited for them, exact to 10 ms.
func TreeCPU(root int) time.Duration {
	type process struct {
		parent int
		ticks  int64
	}
	all := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses may have anything in it.
		head, rest, _ := strings.Cut(string(text), " ")
		rest = rest[strings.LastIndexByte(rest, ')')+1:]
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		pid, _ := strconv.Atoi(head)
		parent, _ := strconv.Atoi(fields[1])
		var ticks int64
		for _, t := range fields[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(t, 10, 64)
			ticks += n
		}
		all[pid] = process{parent, ticks}
	}
	var sum int64
	for pid, p := range all {
		for at, depth := pid, 0; at > 1 && depth < 20; at, depth = all[at].parent, depth+1 {
			if at == root {
				sum += p.ticks
				break
			}
		}
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Go runs on Linux
	return time.Duration(sum) * tick
}
