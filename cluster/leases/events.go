package leases

import "time"

// Event is the input of a [Client].
type Event interface{ event() }

// The events that a [Backend] reports.
type (
	// Listed has all entries. If Epoch has changed, revisions begin again. Lost says that entries which the client
	// knew have been lost.
	Listed struct {
		Entries  []Entry
		Revision int64
		Epoch    string
		Lost     bool
	}
	// Changed has the changes up to a revision.
	Changed struct {
		Put      []Entry
		Delete   []string
		Revision int64
	}
	// OutOfTouch says why entries can be neither read nor changed now.
	OutOfTouch struct{ Why string }
	// InTouch says that entries can be read and changed again.
	InTouch struct{}
	// SessionBegan reports a new session. The client has to put all entries again that end with a session.
	SessionBegan struct{ Session int64 }
	// Elected says that this process is the leader as long as the key of Fence exists.
	Elected struct{ Fence If }
	// Committed is the result of a [Commit]. If Err isn't nil, nobody knows whether the transaction was carried out.
	// Otherwise, Revision is the newest revision of all entries at that time.
	Committed struct {
		Slot     Slot
		Done     bool
		Revision int64
		Err      error
	}
)

// The events that users of the client report.
type (
	// Joined adds a member, or replaces its description.
	Joined struct{ Member Member }
	// Left says that a member of this process has left.
	Left struct {
		Role Role
		Name string
	}
	// Requested asks for a browser. Each ID is larger than the one before.
	Requested struct {
		ID      uint64
		Request Request
	}
	// Canceled says that nobody waits any more for the answer to a request or a release.
	Canceled struct{ ID uint64 }
	// Released asks to end a lease. Its ID is of the same series as the IDs of requests.
	Released struct {
		ID             uint64
		Tenant, Handle string
	}
	// InUse says which tenants use their leases now.
	InUse struct{ Tenants []string }
	// LimitsSet replaces the limits for all gateways, once.
	LimitsSet struct{ Limits Limits }
	// Closing says that the client is about to be closed, so nobody waits for requests any more.
	Closing struct{}
	// TenantsRemoved replaces the list of removed tenants.
	TenantsRemoved struct{ Tenants []string }
	// TimerFired says that the time of a [SetTimer] has come.
	TimerFired struct{}
)

// Effect is the output of a [Client]: something to be done.
type Effect interface{ effect() }

// Slot is a kind of transaction. Of each kind, one transaction runs at a time.
type Slot int

// The slots: for what a process puts for itself, and for what it does as the leader.
const (
	Own Slot = iota
	Leading
)

// The effects.
type (
	// Commit asks for a transaction, whose result is [Committed].
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
	// Progressed says how far a request has come.
	Progressed struct {
		ID       uint64
		Progress Progress
	}
	// Updated says that [Client.Snapshot] has changed.
	Updated struct{}
	// SetTimer asks for a [TimerFired] at a time. It replaces an earlier SetTimer.
	SetTimer struct{ At time.Time }
	// Refused says that a member of this process can't join, and why.
	Refused struct{ Err error }
	// Warning is a text that an operator should read.
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
