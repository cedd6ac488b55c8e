package storm

import (
	"time"

	"webmcphub/bench/machine"
)

// samples are durations of one thing.
type samples []time.Duration

// quantiles stores the median and the 99th percentile.
func (s samples) quantiles(p50, p99 *float64) {
	if len(s) > 0 {
		*p50, *p99 = millis(machine.Quantile(s, 0.5)), millis(machine.Quantile(s, 0.99))
	}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
