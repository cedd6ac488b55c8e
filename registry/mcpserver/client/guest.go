package client

import "webmcphub/registry/mcpserver/lens"

// Guest says how a client is served that comes by another process, or did before.
type Guest struct {
	View   *lens.View       // a valid one; nil is the server's own, also as that changes
	Listed <-chan bool      // switches the listing of page tools on and off; may be nil
	Place  lens.Place       // where it stood with another server
	Moved  func(lens.Place) // told where it stands; may block; nil for nobody
}
