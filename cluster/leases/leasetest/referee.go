package leasetest

import (
	"fmt"
	"sync"

	"webmcphub/cluster/leases"
)

// referee sees that no browser has two holders.
type referee struct {
	mu    sync.Mutex
	held  map[string]leases.Lease // by browser
	lives map[string]bool         // that were given
}

func newReferee() *referee {
	return &referee{held: map[string]leases.Lease{}, lives: map[string]bool{}}
}

// holds takes up that a lease was given.
func (r *referee) holds(l leases.Lease) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, double := r.held[l.Name()]; double {
		return fmt.Errorf("%s was given, while it is %s's by %s", l.Handle, other.Tenant, other.Handle)
	}
	if life := l.Name() + " " + l.Life; r.lives[life] {
		return fmt.Errorf("%s was given, which was not begun afresh since the last lease", l.Handle)
	} else {
		r.lives[life] = true
	}
	r.held[l.Name()] = l
	return nil
}

// ends takes up that a lease is about to end.
func (r *referee) ends(l leases.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, l.Name())
}
