package loglimit

import (
	"time"

	"golang.org/x/time/rate"
)

// Limit limits how often something is logged that a peer can cause at will: ten lines at once, then one a second. It
// belongs to one goroutine.
type Limit struct {
	limit  *rate.Limiter // nil before the first
	unsaid int
}

// Allow reports whether to log now, and how many lines were not logged since the last time.
func (n *Limit) Allow() (unsaid int, ok bool) {
	if n.limit == nil {
		n.limit = rate.NewLimiter(rate.Every(time.Second), 10)
	}
	if !n.limit.Allow() {
		n.unsaid++
		return 0, false
	}
	unsaid, n.unsaid = n.unsaid, 0
	return unsaid, true
}
