package browser

import (
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// To the actor, beside what every supervisor gets.
type (
	// WatchFront says that the publisher is to be told when the user switches tabs.
	WatchFront struct{}
	// FindConn asks for the connection over which a tab is reached. Give must not
	// wait; its first call counts.
	FindConn struct {
		Page registry.PageID
		Give func(Conn, error)
	}

	// connected and dialFailed end one attempt to reach Chrome.
	connected  struct{ wire cdpclient.Wire }
	dialFailed struct {
		err    error
		launch bool // the launcher was tried too
	}
	// dialSays is what the attempt of that serial waits for.
	dialSays struct {
		serial int
		status string
	}
	// redial asks for another attempt.
	redial struct{ serial int }
	// said is what the connection of that serial said.
	said struct {
		serial  int
		message cdpclient.Message
	}
)

// Conn is the connection over which a tab is reached, and the tab's id there. PageOf is the
// hub's id of a tab of that browser; any goroutine may call it.
type Conn struct {
	*cdpclient.Conn
	Target string
	PageOf func(target string) registry.PageID
}

// Inside is the message that is told apart from others by the log.
func (s said) Inside() any { return s.message }
