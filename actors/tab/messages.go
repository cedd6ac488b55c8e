package tab

import "webmcphub/registry"

// Names of messages that state facts are in the past tense, those of orders in the imperative. A tab also gets the
// messages for which its link asks.

// From a tab's supervisor.
type (
	// Wanted says whether the hub is to be attached to the page.
	Wanted struct {
		On     bool
		Answer func(error) // called once, from any goroutine; may be nil
	}
	// Offered brings a session that the browser has attached to the page. The tab takes it over or turns it down.
	Offered struct{ Session any }
	// AttachFailed says that the browser refused to make a session.
	AttachFailed struct{ Err error }
	// TargetCrashed says that the page's renderer has crashed.
	TargetCrashed struct{}
	// TitleListed brings the title and the address that the browser's list of tabs has.
	TitleListed Info
	// Resync asks for everything that the registry must know of the page.
	Resync struct{}
	// End ends the actor.
	End struct {
		Why func(tool string) registry.Result // makes the result of a call that the tab's end cuts short
		// Lives says that the tab still exists. The actor then detaches its session, which nobody else does.
		Lives bool
	}
)

// From callers.
type (
	StartCall  struct{ Call *Call }
	CancelCall struct{ Call *Call }
	// Question is a message for the page's link. If the link can't answer it, Decline is called with the reason.
	Question interface{ Decline(why string) }
)

// From the tab to itself.
type (
	infoChanged struct{}
	// reportDue triggers a report. It comes after the changes that already wait in the mailbox.
	reportDue struct{}
	// phaseOverdue ends a phase. entered is the value of Tab.entered in that phase.
	phaseOverdue struct{ entered int }
	// namedAll says that the browser has named all calls in flight. It comes after the answers that came with the
	// last name.
	namedAll struct{}
)

// ActorFailed tells a tab's supervisor that the actor panicked or can't keep up.
type ActorFailed struct {
	Page registry.PageID
	Of   *Address
}

// Report has what a tab reports to the registry actor. Events are in order.
type Report struct {
	FlowControl *FlowControl
	Page        registry.PageID
	Epoch       registry.Epoch
	Events      []registry.Event
}
