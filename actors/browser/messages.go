package browser

import "webmcphub/cdpclient"

// Messages to the actor, in addition to those that every supervisor gets.
type (
	// WatchFront makes tabs report when the user brings them to the front.
	WatchFront struct{}

	// connected and dialFailed end an attempt to reach Chrome.
	connected  struct{ wire cdpclient.Wire }
	dialFailed struct {
		err    error
		launch bool // the Launcher was tried too
	}
	// dialStatus has a status text of the attempt with the given serial: what that attempt waits for.
	dialStatus struct {
		serial int
		status string
	}
	// redial asks for another attempt.
	redial struct{ serial int }
	// received is a message of the connection with the given serial.
	received struct {
		serial  int
		message cdpclient.Message
	}
)

// Inside returns the message by which the log distinguishes this message from others.
func (s received) Inside() any { return s.message }
