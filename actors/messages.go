package actors

import (
	"webmcphub/cdpclient"
)

// Facts in the past tense, orders in the imperative. Besides these, page
// actors receive cdpclient.Event and cdpclient.Reply of their sessions, and
// the registry actor receives registry.Event.

// To the browser actor.
type (
	// connected and dialFailed end one attempt to reach Chrome.
	connected  struct{ wire cdpclient.Wire }
	dialFailed struct {
		err    error
		launch bool // Options.Launcher was tried too
	}
	// fromBrowser is what the connection of that epoch said.
	fromBrowser struct {
		epoch   int
		message cdpclient.Message
	}
	// watchFront says that the publisher is to be told when the user switches
	// tabs. The tabs' actors are told so by cdp.WatchFront.
	watchFront struct{}
	// redial asks for another attempt.
	redial struct{ epoch int }
)
