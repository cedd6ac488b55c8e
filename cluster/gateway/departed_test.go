package gateway_test

import (
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
)

// A node that is no member any more is let go of after a time, though it may still answer, and isn't counted any more;
// it is met anew when it comes again.
func TestDepartedNode(t *testing.T) {
	store := stores(t)
	g := startGateway(t, "gate", nil, func(o *gateway.Options) { o.Store, o.Departure = store("gate", true), 200*time.Millisecond })
	counts := func(want int) {
		t.Helper()
		late := time.After(patience)
		for {
			f := g.Figures()
			if f.Nodes == want && f.NodesAnswering == want {
				return
			}
			select {
			case <-late:
				t.Fatalf("%d nodes are known, %d answer; want %d", f.Nodes, f.NodesAnswering, want)
			case <-time.After(5 * time.Millisecond): // nobody tells when figures change
			}
		}
	}
	for name, runs := range map[string]bool{"one-first": false, "one-second": true} { // it may still answer
		own := store(name, false)
		one := startNode(t, "one", func(o *node.Options) { o.Store = own })
		counts(1)
		if !runs {
			one.Stop()
		}
		own.Close()
		counts(0)
		one.Stop()
	}
}
