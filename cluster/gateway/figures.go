package gateway

import (
	"sync"

	"webmcphub/registry/mcpserver"
)

// figures are counted by whoever has something to count.
type figures struct {
	mu    sync.Mutex
	calls map[string]int // by outcome
}

// called counts calls that are over, and tells also.
func (g *Gateway) called(also func(mcpserver.CallRecord)) func(mcpserver.CallRecord) {
	return func(r mcpserver.CallRecord) {
		f := &g.figures
		f.mu.Lock()
		if f.calls == nil {
			f.calls = map[string]int{}
		}
		f.calls[r.Outcome]++
		f.mu.Unlock()
		if also != nil {
			also(r)
		}
	}
}
