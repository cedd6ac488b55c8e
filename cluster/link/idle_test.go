package link

import (
	"fmt"
	"testing"
	"time"

	"webmcphub/cluster/wire"
)

func (s *side) kept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.peers)
}

// keeps waits until so many peers are kept.
func (s *side) keeps(n int) {
	s.t.Helper()
	late := time.After(patient)
	for s.kept() != n {
		select {
		case <-late:
			s.t.Fatalf("%s keeps %d peers, not %d", s.self, s.kept(), n)
		case <-time.After(time.Millisecond): // nobody is told
		}
	}
}

// Peers that are gone for good are let go of by both sides; one that comes again is met as before.
func TestPeersThatAreGoneAreForgotten(t *testing.T) {
	soon := func(o *Options) { o.idle = 20 * time.Millisecond }
	node := start(t, Node, "n", soon)
	for i := range 3 {
		g := start(t, Gateway, fmt.Sprint("g", i), nil)
		g.talk(node)
		g.Close()
		node.lose()
	}
	node.keeps(0)
	gateway := start(t, Gateway, "g", func(o *Options) { soon(o); o.Silence = brief })
	gateway.talk(node)
	address := node.Addr()
	node.Close()
	gateway.lose()
	gateway.keeps(0)
	again := start(t, Node, "n", func(o *Options) { soon(o); o.Listen = address })
	gateway.talk(again)
	if gateway.kept() != 1 || again.kept() != 1 {
		t.Errorf("a link stands, and the gateway keeps %d peers, the node %d", gateway.kept(), again.kept())
	}
}

// However short peers are kept, a message that was taken is sent, or Lost is called.
func TestNothingIsToldToAForgottenPeer(t *testing.T) {
	gateway := start(t, Gateway, "g", func(o *Options) { o.idle = time.Nanosecond })
	for i := range 30 {
		node := start(t, Node, "n", func(o *Options) { o.idle = time.Nanosecond })
		gateway.send(node.self, wire.Ping{Seq: uint64(i)})
		if at := node.receive(); at.m != (wire.Ping{Seq: uint64(i)}) {
			t.Fatalf("got %#v", at.m)
		}
		node.Close()
		gateway.lose()
	}
}
