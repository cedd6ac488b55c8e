package automation

import (
	"fmt"
	"sync"
	"time"
)

// Leases records which client has which of the things that only one client at a time may use. The zero value is ready
// to use. Any goroutine may call its methods.
type Leases struct {
	mu   sync.Mutex
	held map[string]lease
}

// lease is one client's use of a thing.
type lease struct {
	client, name string
	since        time.Time
}

// Take gives a thing to a client until Release or Gone. If another client has it, the error says who. name is the
// client's name as shown to other agents.
func (l *Leases) Take(what, client, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held, taken := l.held[what]; taken && held.client != client {
		return fmt.Errorf("%s is in use by another client, %s, for %v now. Try again once that has ended", what,
			held.name, time.Since(held.since).Round(time.Second))
	}
	if l.held == nil {
		l.held = map[string]lease{}
	}
	l.held[what] = lease{client, name, time.Now()}
	return nil
}

// Release ends a client's use of a thing.
func (l *Leases) Release(what, client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[what].client == client {
		delete(l.held, what)
	}
}

// Gone ends a client's use of all things.
func (l *Leases) Gone(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for what, held := range l.held {
		if held.client == client {
			delete(l.held, what)
		}
	}
}

// Len returns how many things are in use.
func (l *Leases) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held)
}
