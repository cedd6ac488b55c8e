package operator

import (
	"errors"
	"testing"
	"testing/synctest"

	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// A node that answers more often than it was asked doesn't block its link. (If it does, synctest says that all
// goroutines are.)
func TestAnsweredTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Operator{waiting: map[uint64]waiting{1: {"one", make(chan reply, 1)}}}
		for range 3 {
			o.receive(link.Peer{Name: "one"}, wire.Reply{ID: 1})
		}
		o.receive(link.Peer{Name: "one"}, wire.Reply{ID: 2})
	})
}

// What another node says, and its loss, end nothing that waits for this one.
func TestAnotherNode(t *testing.T) {
	one := make(chan reply, 1)
	o := &Operator{waiting: map[uint64]waiting{1: {"one", one}}}
	o.receive(link.Peer{Name: "two"}, wire.Reply{ID: 1})
	o.lost(link.Peer{Name: "two"}, errors.New("gone"))
	select {
	case r := <-one:
		t.Errorf("it was told %+v", r)
	default:
	}
	o.lost(link.Peer{Name: "one"}, errors.New("gone"))
	if r := <-one; r.lost == nil {
		t.Errorf("its own loss came as %+v", r)
	}
}
