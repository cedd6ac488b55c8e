package procs

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine says in a line where figures are taken.
func Machine() string {
	cpu := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	memory := int64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		memory = field(string(text), "MemTotal:") >> 20
	}
	return fmt.Sprintf("%d × %s, %d GiB, %s/%s, %s", runtime.NumCPU(), cpu, memory, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// Load says how busy the machine is, and has been.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); err == nil && len(f) > 2 {
		return "load " + strings.Join(f[:3], " ")
	}
	return "load unknown"
}
