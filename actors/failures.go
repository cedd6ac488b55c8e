package actors

import (
	"fmt"

	"webmcphub/actors/supervisor"
)

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
	h.fail(fmt.Errorf("%s failed more than %d times in %v; the log says how. Please report it, and start the hub again",
		what, supervisor.MaxFailures, supervisor.FailureWindow))
}
