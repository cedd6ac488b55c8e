package storm

import (
	"slices"
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
