package view

// Guest says how to serve a client that reaches the hub through another process, or did so before.
type Guest struct {
	View   *View       // a valid view; nil means the server's own, also after that changes
	Listed <-chan bool // receives whether page tools are to be listed; may be nil
	Place  Place       // where the client stood with another server
	Moved  func(Place) // called with each new place, in order; must not block; may be nil

	// Kind is the prefix of the session's id; "" means "stdio". Clients can't choose it.
	Kind string
}

// Memory is the part of Trust that remembers what the next server of the same browser has to know of a client. Any
// goroutine may call its methods.
type Memory interface {
	// Resume restores what another server remembered of a client. It is called before the client does anything.
	Resume(session, remembered string)
	// Follow calls changed with what is remembered of a client, in one line, now and whenever more is remembered,
	// until the client is gone. changed returns before the client is sent what made the difference. It must not
	// block.
	Follow(session string, changed func(remembered string))
}
