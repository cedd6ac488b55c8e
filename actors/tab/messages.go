package tab

import "webmcphub/registry"

// Facts in the past tense, orders in the imperative. Besides these a tab gets what
// its link asks for.

// From a tab's supervisor.
type (
	// Wanted says whether the hub is to be attached to the page.
	Wanted struct {
		On     bool
		Answer func(error) // in no particular goroutine, once; may be nil
	}
	// Offered brings a session that the browser has made with the page. The tab
	// takes it up or turns it down.
	Offered struct{ Session any }
	// AttachFailed says that the browser makes no session.
	AttachFailed struct{ Err error }
	// TargetCrashed says that the page's renderer died.
	TargetCrashed struct{}
	// TitleListed brings the title and the address that the browser's list of tabs has.
	TitleListed Info
	// Retell asks for all that the registry has to know of the page.
	Retell struct{}
	// End ends the actor.
	End struct {
		Why func(tool string) registry.Result // makes the answer of a call that it cuts short
		// Lives says that the tab is still there: the actor lets go of its session,
		// which nobody else does.
		Lives bool
	}
)

// From callers.
type (
	StartCall  struct{ Call *Call }
	CancelCall struct{ Call *Call }
	// A Question is for the page's link. If nobody can answer, it is told why.
	Question interface{ Decline(why string) }
)

// From the tab to itself.
type (
	infoChanged struct{}
	// reportDue ends a burst of changes: it stands in the mailbox behind them.
	reportDue struct{}
	// phaseOverdue ends a phase that was entered as the so-manieth.
	phaseOverdue struct{ entered int }
	// namedAll says that the browser has named all calls under way. It stands behind
	// the answers that came with the last name.
	namedAll struct{}
)

// To a tab's supervisor: the actor panicked, or can't keep up.
type ActorFailed struct {
	Page registry.PageID
	Of   *Address
}

// Report is what a tab tells the registry actor, in order.
type Report struct {
	Intake *Intake
	Page   registry.PageID
	Epoch  registry.Epoch
	Events []registry.Event
}
