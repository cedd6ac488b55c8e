package machine

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Usage is what processes take.
type Usage struct {
	RSS int64         // bytes of memory, now; what processes share counts in each
	CPU time.Duration // since their start, exact to 10 ms
}

// Tree reads what a process and all below it take, with the processor time of those that have ended as far as their
// parents have waited for them.
func Tree(root int) (sum Usage, err error) {
	files, err := os.ReadDir("/proc")
	if err != nil {
		return sum, err
	}
	stats, children := map[int]stat{}, map[int][]int{}
	for _, f := range files {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			continue // no process
		}
		if s, err := readStat(pid); err == nil { // it may have just ended
			stats[pid] = s
			children[s.parent] = append(children[s.parent], pid)
		}
	}
	if _, there := stats[root]; !there {
		return sum, fmt.Errorf("there is no process %d", root)
	}
	for all := []int{root}; len(all) > 0; all = append(all[1:], children[all[0]]...) {
		s := stats[all[0]]
		sum.CPU += s.own + s.ended
		rss, _ := Status(all[0], "VmRSS") // 0 of one that has just ended
		sum.RSS += rss
	}
	return sum, nil
}

// Status reads a figure of a process's /proc/PID/status, such as VmRSS, in bytes.
func Status(pid int, name string) (int64, error) {
	return size(fmt.Sprintf("/proc/%d/status", pid), name)
}

// stat is a part of /proc/PID/stat.
type stat struct {
	parent     int
	own, ended time.Duration // processor time of the process, and of children that have ended
}

func readStat(pid int) (s stat, err error) {
	file := fmt.Sprintf("/proc/%d/stat", pid)
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	// pid (name) state parent …, where the name may have anything in it
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 15 {
		return s, fmt.Errorf("%s is %q", file, text)
	}
	s.parent, _ = strconv.Atoi(fields[1])
	// USER_HZ is 100 wherever Go runs on Linux.
	const tick = 10 * time.Millisecond
	for i, to := range []*time.Duration{&s.own, &s.own, &s.ended, &s.ended} { // utime, stime, cutime, cstime
		n, _ := strconv.ParseInt(fields[11+i], 10, 64)
		*to += time.Duration(n) * tick
	}
	return s, nil
}

// OwnCPU is the processor time that this process has used, exact to 1 µs.
func OwnCPU() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // fails for wrong arguments only
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Quantile is the smallest value that at least the share q does not exceed, 0 of none.
func Quantile[T cmp.Ordered](of []T, q float64) (v T) {
	if len(of) == 0 {
		return v
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
