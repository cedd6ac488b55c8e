package leases

import "time"

// Event is what a [Client] is told.
type Event interface{ event() }

// What is told by whoever keeps the entries.
type (
	// Listed is all that is kept. Revisions begin anew with each Epoch. Lost says that what the client
	// knew before has been lost: nobody keeps it any more.
	Listed struct {
		Entries  []Entry
		Revision int64
		Epoch    string
		Lost     bool
	}
	// Changed is what has changed up to a revision.
	Changed struct {
		Put      []Entry
		Delete   []string
		Revision int64
	}
	// OutOfTouch says why nothing can be kept, or learnt, just now.
	OutOfTouch struct{ Why string }
	// InTouch says that it can be again.
	InTouch struct{}
	// SessionBegan says that there is a new session, on which all must be put anew that hung on the one
	// before.
	SessionBegan struct{ Session int64 }
	// Elected says that this process leads, as long as the key of the fence is there.
	Elected struct{ Fence If }
	// Committed is what came of a [Commit]. With an error it is not known whether it was carried
	// out; without one, Revision is the newest of all entries then.
	Committed struct {
		Slot     Slot
		Done     bool
		Revision int64
		Err      error
	}
)

// What is told by those who use the client.
type (
	// Joined is a new member, or what one says of itself now.
	Joined struct{ Member Member }
	// Left says that a member of this process has left.
	Left struct {
		Role Role
		Name string
	}
	// Requested wants a browser. ID grows.
	Requested struct {
		ID      uint64
		Request Request
	}
	// Canceled says that nobody waits for a request or a release any more.
	Canceled struct{ ID uint64 }
	// Released ends a lease. IDs are as of requests.
	Released struct {
		ID             uint64
		Tenant, Handle string
	}
	// InUse says which tenants use their leases just now.
	InUse struct{ Tenants []string }
	// LimitsSet has other limits set for all, once.
	LimitsSet struct{ Limits Limits }
	// Closing says that the client is going to be closed: nobody waits for a request any more.
	Closing struct{}
	// TenantsRemoved replaces the list of removed tenants.
	TenantsRemoved struct{ Tenants []string }
	// TimerFired says that the time of a [SetTimer] has come.
	TimerFired struct{}
)

// Effect is what a [Client] wants done.
type Effect interface{ effect() }

// Slot is one of the two places for transactions under way.
type Slot int

// The slots: what a process puts for itself, and what it does as the leader.
const (
	Own Slot = iota
	Leading
)

// The effects.
type (
	// Commit wants a transaction carried out, and [Committed] told of it. Each slot has one at a time.
	Commit struct {
		Slot Slot
		Tx   Tx
	}
	// Answered ends a request or a release: with a lease, or an error.
	Answered struct {
		ID    uint64
		Lease Lease
		Err   error
	}
	// Progressed is how a request stands now.
	Progressed struct {
		ID       uint64
		Progress Progress
	}
	// Updated says that [Client.Snapshot] has changed.
	Updated struct{}
	// SetTimer wants [TimerFired] told at a time, in place of the time before.
	SetTimer struct{ At time.Time }
	// Refused says that a member of this process can't join, and why.
	Refused struct{ Err error }
	// Warning is something that an operator should read.
	Warning struct{ Text string }
)

func (Listed) event()         {}
func (Changed) event()        {}
func (OutOfTouch) event()     {}
func (InTouch) event()        {}
func (SessionBegan) event()   {}
func (Elected) event()        {}
func (Committed) event()      {}
func (Joined) event()         {}
func (Left) event()           {}
func (Requested) event()      {}
func (Canceled) event()       {}
func (Released) event()       {}
func (InUse) event()          {}
func (LimitsSet) event()      {}
func (Closing) event()        {}
func (TenantsRemoved) event() {}
func (TimerFired) event()     {}

func (Commit) effect()     {}
func (Answered) effect()   {}
func (Progressed) effect() {}
func (Updated) effect()    {}
func (SetTimer) effect()   {}
func (Refused) effect()    {}
func (Warning) effect()    {}
