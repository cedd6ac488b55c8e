package supervisor

import "time"

const (
	// MaxFailures is how often one actor may panic within FailureWindow. After that, a page is left alone, because
	// its own content may be the cause. The hub can't work without the registry or a supervisor, so if one of these
	// fails too often, the hub ends.
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
