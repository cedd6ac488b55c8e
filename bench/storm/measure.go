package storm

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// samples are durations of one thing.
type samples []time.Duration

// quantile gives the smallest sample that at least the share q does not exceed,
// 0 without samples.
func (s samples) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// percentiles gives the quantiles 0, 0.01, … 1 in milliseconds.
func (s samples) percentiles() []float64 {
	if len(s) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(s))
	out := make([]float64, 101)
	for i := range out {
		out[i] = millis(sorted[min(len(sorted)-1, i*len(sorted)/100)])
	}
	return out
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// usage is what a process has used so far, and has now.
type usage struct {
	CPU        time.Duration
	Allocs     uint64 // objects ever allocated
	Heap       uint64 // bytes of live objects at the last collection
	RSS, Peak  int64  // bytes; Peak since the last resetPeak
	Goroutines int
}

// ownUsage reads this process's. fresh collects garbage before, so that Heap is
// what is in use, and makes Peak begin anew.
func ownUsage(fresh bool) usage {
	if fresh {
		runtime.GC()
		resetPeak()
	}
	u := usage{Goroutines: runtime.NumGoroutine()}
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

// treeCPU is the processor time of a process and all below it, those that have
// ended included as far as their parents waited for them, exact to 10 ms.
func treeCPU(root int) time.Duration {
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

// machine describes where figures were taken.
func machine() string {
	cpu := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = ", load " + strings.Join(strings.Fields(string(text))[:3], " ")
	}
	return fmt.Sprintf("%d × %s, %s/%s, %s%s", runtime.NumCPU(), cpu, runtime.GOOS, runtime.GOARCH, runtime.Version(), load)
}
