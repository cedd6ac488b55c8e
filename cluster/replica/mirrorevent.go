package replica

import (
	"time"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// MirrorEvent is what a [Mirror] is told.
type MirrorEvent interface{ mirrorEvent() }

// The events of a [Mirror].
type (
	// Received is a message of the node: Welcome, Refused, Whole, Changes or Pong. Others are not
	// for it.
	Received struct{ Message wire.Message }
	// Hearing says that a part of a message of the node has come: a large one on a slow way is a sign of life.
	Hearing struct{}
	// LinkLost says that messages from or to the node may have been lost.
	LinkLost struct{ Why string }
	// LinkBack says that there is a way to the node: at first, and again after LinkLost. If it isn't
	// told, the Mirror finds out by itself, later.
	LinkBack struct{}
	// LeaseEnded says that the node's lease has ended: that is known, not supposed for want of news.
	LeaseEnded struct{}
	// LeaseSeen says that the node has a lease. It has one at first.
	LeaseSeen struct{}
	// Overrun says that the node says more than the gateway can take in.
	Overrun struct{ Why string }
	// BoundDue says that the time of an [Arm] is over.
	BoundDue struct{ Seq uint64 }
	// Ended says that nobody wants to know of the node any more: its content goes at once, and it is
	// asked nothing again.
	Ended struct{}
)

// MirrorEffect is what a [Mirror] wants done.
type MirrorEffect interface{ mirrorEffect() }

// The effects of a [Mirror], besides [LeftOut].
type (
	// Ask sends a message to the node. If it can't be sent it counts as lost.
	Ask struct{ Message wire.Message }
	// Content is how the node's content has changed. First Gone are closed, then Pages are opened
	// or changed, in their order; a page of both was closed and opened again. Page and Browser of
	// [registry.Facts] are names in the cluster ([Named]). What is unchanged keeps its pointers.
	Content struct {
		Gone  []registry.PageID
		Pages []*registry.Facts
		// Epoch is that of all of the node's pages.
		Epoch registry.Epoch
		// Browsers are all of the node's; none while the node is not known.
		Browsers []registry.Browser
		// Lives are those that its browsers are in, by their names in the cluster. A new life is told
		// no later than its first page.
		Lives map[string]string
	}
	// Arm asks for a [BoundDue] with the same Seq after that time.
	Arm struct {
		Seq   uint64
		After time.Duration
	}
)

func (Received) mirrorEvent()   {}
func (Hearing) mirrorEvent()    {}
func (LinkLost) mirrorEvent()   {}
func (LinkBack) mirrorEvent()   {}
func (LeaseEnded) mirrorEvent() {}
func (LeaseSeen) mirrorEvent()  {}
func (Overrun) mirrorEvent()    {}
func (BoundDue) mirrorEvent()   {}
func (Ended) mirrorEvent()      {}
func (Ask) mirrorEffect()       {}
func (Content) mirrorEffect()   {}
func (Arm) mirrorEffect()       {}
func (LeftOut) mirrorEffect()   {}

// Bounds are the times after which a [Mirror] acts. Zeros are the defaults.
type Bounds struct {
	Lost    time.Duration // how long content stays after the link is known to be lost; 600 ms
	Behind  time.Duration // how long it stays though changes are known to be missing; 3 s
	Lease   time.Duration // how long it stays after the lease has ended; 15 s, in which a node registers again after etcd lost its data
	Ping    time.Duration // the time between two pings; 1 s
	Silence int           // how many pings may be unanswered before the link counts as lost; 5
	Refuse  time.Duration // how long a node is not heeded that said too much; 30 s
	Ask     time.Duration // the time until Hello is said again at first, growing to 10 times that; 200 ms
}

func (b Bounds) orDefaults() Bounds {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&b.Lost, 600*time.Millisecond)
	set(&b.Behind, 3*time.Second)
	set(&b.Lease, 15*time.Second)
	set(&b.Ping, time.Second)
	set(&b.Refuse, 30*time.Second)
	set(&b.Ask, 200*time.Millisecond)
	if b.Silence <= 0 {
		b.Silence = 5
	}
	return b
}

// Stale is for how long at most a gateway shows what its node has withdrawn: the first ping after
// the withdrawal is answered, and the answer tells of it, or else silence counts as a loss.
func (b Bounds) Stale() time.Duration {
	b = b.orDefaults()
	return time.Duration(b.Silence+2)*b.Ping + max(b.Lost, b.Behind)
}
