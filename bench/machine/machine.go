// Package machine says in words where figures were taken, and in numbers what processes take. It reads /proc, and what
// that doesn't tell about the machine is said to be unknown.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Describe names processors, memory, system and Go's version, in a line.
func Describe() string {
	cpu := "unknown processor"
	if name, ok := value("/proc/cpuinfo", "model name"); ok {
		cpu = name
	}
	memory := "unknown memory"
	if total, err := size("/proc/meminfo", "MemTotal"); err == nil {
		memory = fmt.Sprintf("%d GiB", total>>30)
	}
	return fmt.Sprintf("%d × %s, %s, %s/%s, %s", runtime.NumCPU(), cpu, memory, runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// Load says how busy the machine is, and has been for five and for fifteen minutes.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); err == nil && len(f) > 2 {
		return "load " + strings.Join(f[:3], " ")
	}
	return "load unknown"
}

// value is what a file of /proc first says under a name.
func value(file, name string) (string, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		if key, rest, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// size is a number of bytes that a file of /proc gives in kB.
func size(file, name string) (int64, error) {
	text, _ := value(file, name)
	kib, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s has no %s: %w", file, name, err)
	}
	return kib << 10, nil
}
