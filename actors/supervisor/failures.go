package supervisor

import "time"

const (
	// MaxFailures is how often one actor may panic within FailureWindow. What
	// happens beyond it is designed, too: a page is left alone, as its own
	// content may be the cause; without the registry or a supervisor the hub is of no
	// use, and ends.
	MaxFailures   = 10
	FailureWindow = 10 * time.Second
)

// Failures are the times of an actor's latest panics.
type Failures []time.Time

// TooMany notes one more, and says whether that is beyond the limit.
func (f *Failures) TooMany() bool {
	now := time.Now()
	for len(*f) > 0 && now.Sub((*f)[0]) > FailureWindow {
		*f = (*f)[1:]
	}
	*f = append(*f, now)
	return len(*f) > MaxFailures
}
