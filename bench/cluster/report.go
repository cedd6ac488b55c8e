package cluster

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Report is what a scenario found. Its methods may be called from any goroutine.
type Report struct {
	out io.Writer

	mu       sync.Mutex
	figures  []figure
	failures []string
	more     int // failures beyond maxFailures
}

type figure struct{ name, value string }

// maxFailures is how many are told.
const maxFailures = 20

// NewReport writes what the scenario does to out, as it does it.
func NewReport(out io.Writer) *Report { return &Report{out: out} }

// Say tells what is being done.
func (r *Report) Say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "   "+format+"\n", args...)
}

// Figure notes a figure.
func (r *Report) Figure(name, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures = append(r.figures, figure{name, fmt.Sprintf(format, args...)})
}

// Fail notes that something isn't as it should be.
func (r *Report) Fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failures) < maxFailures {
		text := fmt.Sprintf(format, args...)
		r.failures = append(r.failures, text[:min(len(text), 1500)])
		fmt.Fprintf(r.out, "!! %s\n", r.failures[len(r.failures)-1])
	} else {
		r.more++
	}
}

// Check notes a failure unless err is nil.
func (r *Report) Check(what string, err error) {
	if err != nil {
		r.Fail("%s: %v", what, err)
	}
}

// AtMost notes the largest and the median of some times as a figure, and a failure if one is
// over the bound.
func (r *Report) AtMost(name string, bound time.Duration, all []time.Duration) {
	if len(all) == 0 {
		r.Fail("%s was not measured", name)
		return
	}
	r.Figure(name, "p50 %s, max %s of %d (bound %s)", short(Quantile(all, 0.5)), short(slices.Max(all)), len(all),
		short(bound))
	if m := slices.Max(all); m > bound {
		r.Fail("%s: %s, and %s is the bound", name, short(m), short(bound))
	}
}

// Failed says whether anything is not as it should be.
func (r *Report) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// String is the figures, and the failures.
func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text strings.Builder
	for _, f := range r.figures {
		fmt.Fprintf(&text, "   %-46s %s\n", f.name, f.value)
	}
	if n := len(r.failures) + r.more; n > 0 {
		fmt.Fprintf(&text, "   FAILED: %s\n", r.failures[0])
		if n > 1 {
			fmt.Fprintf(&text, "   FAILED: and %d times more\n", n-1)
		}
	}
	return text.String()
}

// Quantile is the smallest of some times that at least the share q does not exceed.
func Quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// short is a time with three digits.
func short(d time.Duration) string {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d > time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d > 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// mib is bytes in MiB.
func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
