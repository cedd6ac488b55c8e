package pagemcp

import (
	"context"
	"log/slog"
	"sync"
)

// MaxRemarks is how often the same remark about one server is logged, because the page controls how often it happens.
const MaxRemarks = 10

// remarks logs the faults of one page's server. It may be used from any goroutine.
type remarks struct {
	log    *slog.Logger
	mu     sync.Mutex
	counts map[[2]any]int
}

func newRemarks(log *slog.Logger) *remarks { return &remarks{log: log, counts: map[[2]any]int{}} }

// few logs a remark at debug level, at most MaxRemarks times.
func (r *remarks) few(what string, attributes ...any) {
	n := r.count([2]any{what})
	if n > MaxRemarks {
		return
	}
	if n == MaxRemarks {
		attributes = append(attributes, "more", "not logged")
	}
	r.log.Debug(what, attributes...)
}

// once logs a remark about one of the server's lists the first time only, because the hub reads a list whenever the
// server says that it has changed. The value of the first attribute is the method.
func (r *remarks) once(level slog.Level, what string, attributes ...any) {
	if r.count([2]any{what, attributes[1]}) == 1 {
		r.log.Log(context.Background(), level, what, attributes...)
	}
}

// count returns how often a remark has been made, including this time, up to MaxRemarks+1. The keys are texts and
// methods of the hub, so there are few.
func (r *remarks) count(of [2]any) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[of] = min(r.counts[of]+1, MaxRemarks+1)
	return r.counts[of]
}
