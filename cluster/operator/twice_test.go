package operator

import (
	"testing"
	"testing/synctest"

	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// A node that answers more often than it was asked doesn't block its link. (If it does, synctest says that all
// goroutines are.)
func TestAnsweredTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Operator{replies: map[uint64]chan reply{1: make(chan reply, 1)}}
		for range 3 {
			o.receive(link.Peer{}, wire.Reply{ID: 1})
		}
		o.receive(link.Peer{}, wire.Reply{ID: 2})
	})
}
