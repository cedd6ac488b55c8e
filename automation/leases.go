package automation

import (
	"fmt"
	"sync"
	"time"
)

// Leases are the things of one browser that are in use. The zero value has none. Any
// goroutine may use it.
type Leases struct {
	mu   sync.Mutex
	held map[string]lease
}

// lease is the use of a thing by one client.
type lease struct {
	client, name string
	since        time.Time
}

// Take gives a thing to a client until it is released, or the client is gone; or says
// who has it. name is the client's, as other agents read it.
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

// Gone ends a client's use of everything.
func (l *Leases) Gone(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for what, held := range l.held {
		if held.client == client {
			delete(l.held, what)
		}
	}
}

// Len is how many things are in use.
func (l *Leases) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held)
}
