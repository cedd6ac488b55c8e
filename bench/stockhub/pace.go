package stockhub

import (
	"sync"
	"time"
)

// pacer tells of changes as the real hub does: of the first one at once, and of
// those that follow once an interval.
type pacer struct {
	interval time.Duration
	tell     func() // called with the mutex held

	mu      sync.Mutex
	cooling bool // told less than an interval ago
	changed bool // and changed since
}

// change may be called from any goroutine.
func (p *pacer) change() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cooling {
		p.changed = true
		return
	}
	p.cooling, p.changed = true, false
	p.tell()
	time.AfterFunc(p.interval, p.cooled)
}

func (p *pacer) cooled() {
	p.mu.Lock()
	p.cooling = false
	changed := p.changed
	p.mu.Unlock()
	if changed {
		p.change()
	}
}
