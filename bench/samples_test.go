package bench

import (
	"slices"
	"testing"
	"time"
)

// samples are durations of one thing.
type samples []time.Duration

func (s *samples) since(start time.Time) { *s = append(*s, time.Since(start)) }

// quantile gives the smallest sample that at least the share q does not exceed.
func (s samples) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// report reports the median and the 99th percentile in milliseconds.
func (s samples) report(b *testing.B, name string) {
	b.ReportMetric(millis(s.quantile(0.5)), name+"-p50-ms")
	b.ReportMetric(millis(s.quantile(0.99)), name+"-p99-ms")
}
