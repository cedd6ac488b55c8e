package extbrowser

import "webmcphub/extlink"

// To the actor, beside what every supervisor gets.
type (
	// Opened brings a new connection.
	Opened struct{ Wire extlink.Link }
	// KeptOut says why extensions can't connect, "" if they can; and TurnedAway why one
	// that came was sent away.
	KeptOut    struct{ Why string }
	TurnedAway struct{ Why string }

	// said is what a connection said; what concerns one tab goes on to that tab. Who
	// handles it gives back its cost.
	said struct {
		of      *connection
		message extlink.Message
		cost    int
	}
	// orderOverdue ends the wait for an order.
	orderOverdue struct {
		of      *connection
		request string
	}
)

// Inside is the message that is told apart from others by the log.
func (s said) Inside() any { return s.message }
