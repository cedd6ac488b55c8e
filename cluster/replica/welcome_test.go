package replica

import (
	"testing"
	"time"

	"webmcphub/cluster/wire"
)

// Pings that were lost before the node's welcome don't end the talk that this begins; those that are
// lost afterwards do.
func TestWelcomeAfterLostPings(t *testing.T) {
	m, err := NewMirror(nodeName, "g1", Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	var due uint64 // the time of the next ping
	step := func(e MirrorEvent) (asked []wire.Message) {
		for _, effect := range m.Step(e) {
			switch effect := effect.(type) {
			case Ask:
				asked = append(asked, effect.Message)
			case Arm:
				if effect.After == time.Second { // no other time is as long
					due = effect.Seq
				}
			}
		}
		return asked
	}
	pings := func() bool {
		asked := step(BoundDue{due})
		if len(asked) != 1 {
			t.Fatalf("asked %v", asked)
		}
		_, ping := asked[0].(wire.Ping)
		return ping
	}
	hello := step(LinkBack{})[0].(wire.Hello)
	for range 5 {
		if !pings() {
			t.Fatal("the talk began anew too early")
		}
	}
	step(Received{wire.Welcome{Talk: hello.Talk, Version: wire.Oldest, Incarnation: "n1"}})
	if !pings() {
		t.Error("the talk began anew though the node has just answered")
	}
	if pings() {
		t.Error("the node says nothing any more, and the talk goes on")
	}
}
