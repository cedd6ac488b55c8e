package actors

import (
	"fmt"
	"time"
)

const (
	// maxFailures is how often one actor may panic within failureWindow. What
	// happens beyond it is designed, too: a page is left alone, as its own
	// content may be the cause; without the registry or the browser actor the
	// hub is of no use, and ends.
	maxFailures   = 10
	failureWindow = 10 * time.Second
)

// failures are the times of an actor's latest panics.
type failures []time.Time

// tooMany notes one more, and says whether that is beyond the limit.
func (f *failures) tooMany() bool {
	now := time.Now()
	for len(*f) > 0 && now.Sub((*f)[0]) > failureWindow {
		*f = (*f)[1:]
	}
	*f = append(*f, now)
	return len(*f) > maxFailures
}

// fail says that the hub can't go on. Only the first reason counts.
func (h *Hub) fail(err error) {
	h.log.Error("the hub can't go on", "err", err)
	select {
	case h.broken <- err:
	default:
	}
}

// Failed gives at most one error: why the hub can't go on. Its owner should
// then stop it and end.
func (h *Hub) Failed() <-chan error { return h.broken }

// giveUp is fail for an actor that panicked too often.
func (h *Hub) giveUp(what string) {
	h.fail(fmt.Errorf("%s failed more than %d times in %v; the log says how. Please report it, and start the hub again", what, maxFailures, failureWindow))
}
