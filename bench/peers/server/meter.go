package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Meter is what processors have done so far.
type Meter struct {
	Server, Chrome time.Duration // what those processes and their descendants have used
	busy, all      int64         // ticks of the whole machine's processors
}

// Busy is which share of the machine's processors was at work since an earlier reading.
func (m Meter) Busy(before Meter) float64 {
	return float64(m.busy-before.busy) / float64(max(1, m.all-before.all))
}

// ReadMeter reads the meter. There is no server if its pid is 0.
func ReadMeter(serverPID, chromePID int) (m Meter, err error) {
	if serverPID != 0 {
		if m.Server, err = ProcessorTime(serverPID); err != nil {
			return m, err
		}
	}
	if m.Chrome, err = ProcessorTime(chromePID); err != nil {
		return m, err
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m, err
	}
	m.busy, m.all, err = machine(string(stat))
	return m, err
}

// machine reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
func machine(stat string) (busy, all int64, err error) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, fmt.Errorf("/proc/stat begins with %q", line)
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		all += n
		if i != 3 && i != 4 {
			busy += n
		}
	}
	return busy, all, nil
}
