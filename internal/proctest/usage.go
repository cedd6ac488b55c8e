package proctest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process takes.
type Usage struct {
	RSS     int64         // bytes of memory, now
	CPU     time.Duration // since its start, exact to 10 ms
	Written int64         // bytes since its start, into files and sockets
}

// Usage reads what the process takes. One that has ended is an error.
func (p *Process) Usage() (u Usage, err error) {
	if err := p.Running(); err != nil {
		return u, err
	}
	pid := p.cmd.Process.Pid
	status, err1 := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	stat, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	io, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return u, fmt.Errorf("what %s takes can't be read: %w", p.Name, err)
		}
	}
	u.RSS = field(string(status), "VmRSS:") << 10
	u.Written = field(string(io), "wchar:")
	// The name in parentheses may have anything in it.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	if fields := strings.Fields(rest); len(fields) > 12 {
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		u.CPU = time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100 wherever Go runs on Linux
	}
	return u, nil
}

// field finds a number after its name, 0 where there is none.
func field(text, name string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if f := strings.Fields(rest); len(f) > 0 {
				n, _ := strconv.ParseInt(f[0], 10, 64)
				return n
			}
		}
	}
	return 0
}

// Minus is what was taken since an earlier time; the memory is today's.
func (u Usage) Minus(before Usage) Usage {
	return Usage{u.RSS, u.CPU - before.CPU, u.Written - before.Written}
}

// Plus is what two processes take.
func (u Usage) Plus(v Usage) Usage { return Usage{u.RSS + v.RSS, u.CPU + v.CPU, u.Written + v.Written} }

// Total is what several processes take.
func Total(all []*Process) (sum Usage, err error) {
	for _, p := range all {
		u, err := p.Usage()
		if err != nil {
			return sum, err
		}
		sum = sum.Plus(u)
	}
	return sum, nil
}
