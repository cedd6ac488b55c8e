package gateway_test

import (
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
)

// A node that is no member any more is let go of after a time, though it may still answer, and isn't counted any more;
// it is met anew when it comes again. Each time it has been lost, once.
func TestDepartedNode(t *testing.T) {
	store := stores(t)
	g := startGateway(t, "gate", nil, func(o *gateway.Options) { o.Store, o.Departure = store("gate", true), 200*time.Millisecond })
	counts := func(want, lost int) {
		t.Helper()
		late := time.After(patience)
		for {
			f := g.Figures()
			if f.Nodes == want && f.NodesAnswering == want && f.NodesLost == lost {
				return
			}
			select {
			case <-late:
				t.Fatalf("%d nodes are known, %d answer; want %d; nodes were lost %d times; want %d", f.Nodes, f.NodesAnswering, want,
					f.NodesLost, lost)
			case <-time.After(5 * time.Millisecond): // nobody tells when figures change
			}
		}
	}
	lost := 0
	for name, runs := range map[string]bool{"one-first": false, "one-second": true} { // it may still answer
		own := store(name, false)
		one := startNode(t, "one", func(o *node.Options) { o.Store = own })
		counts(1, lost)
		if !runs {
			one.Stop()
		}
		own.Close()
		lost++
		counts(0, lost)
		one.Stop()
	}
}
