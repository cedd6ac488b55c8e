package client

import "webmcphub/registry/mcpserver/lens"

// Guest says how a client is served that comes by another process, or did before.
type Guest struct {
	View   *lens.View       // a valid one; nil is the server's own, also as that changes
	Listed <-chan bool      // switches the listing of page tools on and off; may be nil
	Place  lens.Place       // where it stood with another server
	Moved  func(lens.Place) // told where it stands; may block; nil for nobody
}

// Memory is what decides about clients' calls and remembers of them what the next server
// of the same browser has to know. Its methods may be called from any goroutine.
type Memory interface {
	// Remembered is what is remembered of a client, in one line; "" is nothing.
	Remembered(session string) string
	// Resume takes in what another server remembered of a client, before it does anything.
	Resume(session, remembered string)
	// Follow has changed called after what is remembered of a client became more, until
	// the client is gone. It must not block.
	Follow(session string, changed func())
}
