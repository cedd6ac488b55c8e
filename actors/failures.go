package actors

import (
	"fmt"

	"webmcphub/actors/supervisor"
)

// fail reports that the hub can't go on. Only the first reason counts.
func (h *Hub) fail(err error) {
	h.log.Error("the hub can't go on", "err", err)
	select {
	case h.broken <- err:
	default:
	}
}

// Failed returns a channel that delivers at most one error: why the hub can't go on. The hub's owner should then stop
// the hub and exit.
func (h *Hub) Failed() <-chan error { return h.broken }

// giveUp calls fail for an actor that panicked too often.
func (h *Hub) giveUp(what string) {
	h.fail(fmt.Errorf("%s failed more than %d times in %v; the log says how. Please report it, and start the hub again",
		what, supervisor.MaxFailures, supervisor.FailureWindow))
}
