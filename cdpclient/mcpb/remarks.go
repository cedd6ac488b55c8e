package mcpb

import (
	"context"
	"log/slog"
	"sync"
)

// MaxRemarks is how often the same is logged of one server: the page chooses how
// often it happens.
const MaxRemarks = 10

// remarks logs what is wrong with one page's server. Any goroutine may use it.
type remarks struct {
	log  *slog.Logger
	mu   sync.Mutex
	said map[[2]any]int
}

func newRemarks(log *slog.Logger) *remarks { return &remarks{log: log, said: map[[2]any]int{}} }

// few logs something at debug level, at most MaxRemarks times.
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

// once logs something of the server's lists, the first time only: a server may be
// asked for them as often as it says that they have changed. The value of the first
// attribute is the method that it is about.
func (r *remarks) once(level slog.Level, what string, attributes ...any) {
	if r.count([2]any{what, attributes[1]}) == 1 {
		r.log.Log(context.Background(), level, what, attributes...)
	}
}

// count says how often something has happened, this time included, up to
// MaxRemarks+1. The words and the methods are the hub's, so there are few of them.
func (r *remarks) count(of [2]any) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said[of] = min(r.said[of]+1, MaxRemarks+1)
	return r.said[of]
}
