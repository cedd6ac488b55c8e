package leases

import "time"

// Event is what a [Desk] is told.
type Event interface{ event() }

// What is told by whoever keeps the entries.
type (
	// Listed is all that is kept. Revisions begin anew with each Epoch. Lost says that what the desk
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
	SessionBegan struct{}
	// Committed is what came of a [Commit]. With an error it is not known whether it was carried
	// out; without one, Revision is the newest of all entries then.
	Committed struct {
		Slot     Slot
		Done     bool
		Revision int64
		Err      error
	}
)

// What is told by those who use the desk.
type (
	// Joined is a new member, or what one says of itself now.
	Joined struct{ Member Member }
	// Left says that a member of this desk is none any more.
	Left struct {
		Role Role
		Name string
	}
	// Wished wants a browser. ID grows.
	Requested struct {
		ID   uint64
		Wish Request
	}
	// GaveUp says that nobody waits for a wish any more.
	Canceled struct{ ID uint64 }
	// Returned ends a lease. IDs are as of wishes.
	Released struct {
		ID             uint64
		Tenant, Handle string
	}
	// Limited has other limits set for all desks, once.
	LimitsSet struct{ Limits Limits }
	// Closing says that the desk is going to be closed: nobody waits for a wish any more.
	Closing struct{}
	// Evicted says who is no tenant any more, in place of what was said before.
	Evicted struct{ Tenants []string }
	// Due says that the time of an [Arm] has come.
	TimerFired struct{}
)

// Effect is what a [Desk] wants done.
type Effect interface{ effect() }

// Slot is one of the two places for transactions under way.
type Slot int

// The slots: what hangs on the desk's session, and what moves leases.
const (
	Announcing Slot = iota
	Deciding
)

// The effects.
type (
	// Commit wants a transaction carried out, and [Committed] told of it. Each slot has one at a time.
	Commit struct {
		Slot Slot
		Tx   Tx
	}
	// Answered ends a wish or a return: with a lease, or an error.
	Answered struct {
		ID    uint64
		Lease Lease
		Err   error
	}
	// Told is how a wish stands now.
	Progressed struct {
		ID      uint64
		Waiting Waiting
	}
	// Redrawn says that [Desk.Picture] has changed.
	Updated struct{}
	// Arm wants [Due] told at a time, in place of what was armed before.
	SetTimer struct{ At time.Time }
	// Refused says that a member of this desk can't join, and why.
	Refused struct{ Err error }
	// Complaint is something that an operator should read.
	Warning struct{ Text string }
)

func (Listed) event()       {}
func (Changed) event()      {}
func (OutOfTouch) event()   {}
func (InTouch) event()      {}
func (SessionBegan) event() {}
func (Committed) event()    {}
func (Joined) event()       {}
func (Left) event()         {}
func (Requested) event()    {}
func (Canceled) event()     {}
func (Released) event()     {}
func (LimitsSet) event()    {}
func (Closing) event()      {}
func (Evicted) event()      {}
func (TimerFired) event()   {}

func (Commit) effect()     {}
func (Answered) effect()   {}
func (Progressed) effect() {}
func (Updated) effect()    {}
func (SetTimer) effect()   {}
func (Refused) effect()    {}
func (Warning) effect()    {}
