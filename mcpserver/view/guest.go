package view

// Guest says how a client is served that comes by another process, or did before.
type Guest struct {
	View   *View       // a valid one; nil is the server's own, also as that changes
	Listed <-chan bool // switches the listing of page tools on and off; may be nil
	Place  Place       // where it stood with another server
	Moved  func(Place) // told where it stands, in order; must not block; nil for nobody

	// Kind begins the session's id; "" is "stdio". No client can choose it.
	Kind string
}

// Memory is what decides about clients' calls and remembers of them what the next server
// of the same browser has to know. Its methods may be called from any goroutine.
type Memory interface {
	// Resume takes in what another server remembered of a client, before it does anything.
	Resume(session, remembered string)
	// Follow has changed called with what is remembered of a client, in one line, now and
	// whenever that becomes more, until the client is gone. changed has returned before the
	// client is sent what made it more; it must not block.
	Follow(session string, changed func(remembered string))
}
