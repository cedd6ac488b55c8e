package actors

import (
	"time"

	"webmcphub/extlink"
	"webmcphub/registry"
)

// To the actor of extensions, beside connectOrder, tab.ActorFailed, registryFailed
// and stopBrowser.
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
	// extOrder comes from a caller's goroutine; the answer's channel has room
	// for it. The fields after it belong to the actor.
	extOrder struct {
		does orderKind
		page registry.PageID // which; with orderOpen, beside which
		// background has orderOpen leave the tab in front alone.
		background bool
		url        string
		answer     chan orderAnswer

		number int
		tab    extlink.TabID
		limit  *time.Timer
	}
	orderAnswer struct {
		page registry.PageID
		err  error
	}
	// orderOverdue ends the wait for an order.
	orderOverdue struct {
		browser *extBrowser
		request string
	}
	// extensionsKeptOut says that Hub.keptOut or Hub.refused is another.
	extensionsKeptOut struct{}
	// extClosed says that a connection is closed.
	extClosed struct{}
)

type orderKind int

const (
	orderOpen orderKind = iota
	orderFocus
	orderClose
	orderConnect
	orderDisconnect
)
