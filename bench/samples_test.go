package bench

import (
	"testing"
	"time"

	"webmcphub/bench/machine"
)

// samples are durations of one thing.
type samples []time.Duration

func (s *samples) since(start time.Time) { *s = append(*s, time.Since(start)) }

func (s samples) quantile(q float64) time.Duration { return machine.Quantile(s, q) }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// report reports the median and the 99th percentile in milliseconds.
func (s samples) report(b *testing.B, name string) {
	b.ReportMetric(millis(s.quantile(0.5)), name+"-p50-ms")
	b.ReportMetric(millis(s.quantile(0.99)), name+"-p99-ms")
}
