package storm

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
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
