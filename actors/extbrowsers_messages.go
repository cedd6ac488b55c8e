package actors

import "webmcphub/extlink"

// To the actor of extensions, beside what every keeper gets.
type (
	// extOpened brings a new connection.
	extOpened struct{ wire extlink.Link }
	// fromExtension is what a connection said; those of one tab go on to its page's
	// actor. Who handles it gives back its cost.
	fromExtension struct {
		browser *extBrowser
		message extlink.Message
		cost    int
	}
	// orderOverdue ends the wait for an order.
	orderOverdue struct {
		browser *extBrowser
		request string
	}
	// keptOut says why extensions can't connect, "" if they can; and refused why one
	// that came was sent away.
	keptOut struct{ why string }
	refused struct{ why string }
)
