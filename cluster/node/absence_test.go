package node

import "testing"

// TestBackInTime: a gateway that says Hello just as its absence becomes too long is there, and its clients
// keep what they have.
func TestBackInTime(t *testing.T) {
	n := &Node{clientsOf: map[string]*gatewayClients{}}
	n.hosts("front", "1")
	g := n.clientsOf["front"]
	n.misses("front")
	g.due.Stop() // it has been, and its message waits
	n.hosts("front", "1")
	n.absent("front", g)
	if n.clientsOf["front"] != g {
		t.Error("its clients are gone")
	}
	n.misses("front")
	g.due.Stop()
	n.absent("front", g)
	if n.clientsOf["front"] != nil {
		t.Error("a gateway that stays away keeps its clients")
	}
}
