package node

import (
	"sync"
	"sync/atomic"

	"webmcphub/registry"
)

// figures are counted by whoever has something to count.
type figures struct {
	gateways, running atomic.Int64
	leaving           atomic.Bool
	unhealthy         atomic.Int64 // times at which a browser didn't answer

	mu    sync.Mutex
	calls map[string]int // by outcome
}

// called counts a call that is over, and says how it ended.
func (f *figures) called(r registry.Result) (outcome string) {
	outcome = "ok"
	switch {
	case r.Ending != "":
		outcome = r.Ending
	case r.IsError:
		outcome = "error"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[outcome]++
	return outcome
}
