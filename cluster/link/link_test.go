package link

import (
	"bytes"
	"errors"
	"hash/crc32"
	"strings"
	"sync/atomic"
	"testing"

	"webmcphub/cluster/wire"
)

func TestMessagesArriveInOrderBothWays(t *testing.T) {
	gateway, node := joined(t, nil)
	const n = 2000
	for i := range n {
		gateway.send(node.self, wire.Ping{Seq: uint64(i)})
		node.send(gateway.self, wire.Pong{Seq: uint64(i)})
	}
	for i := range n {
		at := node.receive()
		if at.m != (wire.Ping{Seq: uint64(i)}) || at.from != gateway.self {
			t.Fatalf("the node got %#v from %v; it should be number %d", at.m, at.from, i)
		}
		if at := gateway.receive(); at.m != (wire.Pong{Seq: uint64(i)}) || at.from != node.self {
			t.Fatalf("the gateway got %#v from %v; it should be number %d", at.m, at.from, i)
		}
	}
}

func TestLargeMessagesArriveWhole(t *testing.T) {
	gateway, node := joined(t, nil)
	for _, size := range []int{largestPart - 50, largestPart, 3*largestPart + 1} {
		why := strings.Repeat("x", size)
		gateway.send(node.self, wire.Cancel{ID: 1, Why: why})
		if at := node.receive(); at.m != (wire.Cancel{ID: 1, Why: why}) {
			t.Fatalf("a message of %d bytes came as another", size)
		}
	}
	raw := bytes.Repeat([]byte("0123456789abcdef"), largest/16)
	node.decode = func(b []byte) (wire.Message, error) { return wire.Pong{Seq: uint64(crc32.ChecksumIEEE(b))}, nil }
	if err := gateway.peers[node.self.id()].send(node.Addr(), frames(raw)); err != nil {
		t.Fatal(err)
	}
	if at := node.receive(); at.m != (wire.Pong{Seq: uint64(crc32.ChecksumIEEE(raw))}) {
		t.Error("the largest message came as another")
	}
	if largest < MaxMessage {
		return
	}
	if err := gateway.Send(node.self, wire.Cancel{Why: strings.Repeat("x", MaxMessage)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than the largest message gave %v", err)
	}
}

func TestAPeerThatEndsIsLostAtOnceAndFoundAgain(t *testing.T) {
	gateway, node := joined(t, nil)
	address := node.Addr()
	node.Close()
	if lost := gateway.lose(); lost.peer != node.self {
		t.Errorf("lost %v", lost)
	}
	gateway.send(node.self, wire.Hello{Incarnation: "i"}) // while nobody listens
	again := start(t, Node, "n", func(o *Options) { o.Listen = address })
	again.receive()
	gateway.talk(again)
	moved := start(t, Node, "n", nil)
	gateway.talk(moved)
	if lost := gateway.lose(); !strings.Contains(lost.why.Error(), moved.Addr()) {
		t.Errorf("the gateway isn't told that the node has moved: %v", lost.why)
	}
}

// TestWhatMovesWithAPeerIsCounted: what is sent to the new address waits there, and is sent. Signs of
// life are given only while nothing waits.
func TestWhatMovesWithAPeerIsCounted(t *testing.T) {
	gateway, node := joined(t, nil)
	gateway.talk(start(t, Node, "n", nil))
	p := gateway.peers[node.self.id()]
	gateway.Close()
	if n := p.account.Load().waiting.Load(); n != 0 {
		t.Errorf("%d bytes wait when all are sent", n)
	}
}

// Each part of a large message is told of before the message, and small ones have none.
func TestPartsAreHeard(t *testing.T) {
	var parts atomic.Int32
	gateway, node := joined(t, func(o *Options) {
		self := o.Self
		o.Hearing = func(from Peer) {
			if self.Role == Node && from.Role == Gateway && from.Name != "" {
				parts.Add(1)
			}
		}
	})
	gateway.send(node.self, wire.Cancel{Why: strings.Repeat("x", 3*largestPart+1)})
	if node.receive(); parts.Load() != 3 {
		t.Errorf("%d parts were heard", parts.Load())
	}
	gateway.send(node.self, wire.Cancel{Why: strings.Repeat("x", largestPart/2)})
	if node.receive(); parts.Load() != 3 {
		t.Errorf("%d parts were heard, with those of a message that has none", parts.Load())
	}
}
