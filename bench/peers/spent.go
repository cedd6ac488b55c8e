package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"webmcphub/bench/peers/server"
)

// Figures of the processor time of clicks in so many tabs at once.
func serversShare(tabs int) figure { return clicksOf(tabs) + ", server's CPU" }
func chromesShare(tabs int) figure { return clicksOf(tabs) + ", Chrome's CPU" }
func busyIn(tabs int) figure       { return clicksOf(tabs) + ", busy" }

// A meter reads what processors have done so far.
type meter struct {
	server, chrome time.Duration // what those processes and their descendants have used
	busy, all      int64         // ticks of the whole machine's processors
}

// read reads the meter. There is no server if its pid is 0.
func read(serverPID, chromePID int) (m meter, err error) {
	if serverPID != 0 {
		if m.server, err = server.ProcessorTime(serverPID); err != nil {
			return m, err
		}
	}
	if m.chrome, err = server.ProcessorTime(chromePID); err != nil {
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

// spent stores what clicks have taken since an earlier reading.
func (m meter) spent(v values, tabs, clicks int, before meter) {
	v[chromesShare(tabs)] = ms(m.chrome-before.chrome) / float64(clicks)
	if m.server > 0 {
		v[serversShare(tabs)] = ms(m.server-before.server) / float64(clicks)
	}
	v[busyIn(tabs)] = float64(m.busy-before.busy) / float64(max(1, m.all-before.all))
}
