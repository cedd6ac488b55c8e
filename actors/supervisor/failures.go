package supervisor

import "time"

const (
	// MaxFailures is how often one actor may panic within FailureWindow. If a page's actor panics more often, the hub
	// leaves the page alone, because its content may be the cause. If the registry or a supervisor does, the hub ends,
	// because it can't work without them.
	MaxFailures   = 10
	FailureWindow = 10 * time.Second
)

// Failures has the times of an actor's latest panics.
type Failures []time.Time

// TooMany adds a panic, and says whether there are now more than MaxFailures.
func (f *Failures) TooMany() bool {
	now := time.Now()
	for len(*f) > 0 && now.Sub((*f)[0]) > FailureWindow {
		*f = (*f)[1:]
	}
	*f = append(*f, now)
	return len(*f) > MaxFailures
}
