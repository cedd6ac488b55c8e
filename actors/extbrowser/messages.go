package extbrowser

import "webmcphub/extlink"

// Messages to the actor, in addition to those that every supervisor gets.
type (
	// Opened reports a new connection.
	Opened struct{ Wire extlink.Link }
	// KeptOut says why extensions can't connect, or "" if they can. TurnedAway says why an extension was refused.
	KeptOut    struct{ Why string }
	TurnedAway struct{ Why string }

	// received is a message of a connection. A message about one tab goes on to that tab. Whoever handles the message
	// reports its cost as handled.
	received struct {
		of      *connection
		message extlink.Message
		cost    int
	}
	// orderOverdue says that an extension has not answered an order in time.
	orderOverdue struct {
		of      *connection
		request string
	}
)

// Inside returns the message by which the log distinguishes this message from others.
func (s received) Inside() any { return s.message }
