package actors

import (
	"time"

	"webmcphub/extlink"
	"webmcphub/registry"
)

// To the actor of extensions, beside connectOrder, pageFailed, registryFailed
// and stopBrowser.
type (
	// linkOpened brings a new connection.
	linkOpened struct{ wire extlink.Wire }
	// fromLink is what a connection said; those of one tab go on to its page's
	// actor. Who handles it gives back its cost.
	fromLink struct {
		link    *link
		message extlink.Message
		cost    int
	}
	// linkedOrder comes from a caller's goroutine; the answer's channel has room
	// for it. The fields after it belong to the actor.
	linkedOrder struct {
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
		link    *link
		request string
	}
	// extensionsKeptOut says that Hub.keptOut or Hub.refused is another.
	extensionsKeptOut struct{}
	// linkParted says that a connection is closed.
	linkParted struct{}
)

// linkedSwitch asks a linkedPage to show its page's tools, or not to.
type linkedSwitch struct{ on bool }

type orderKind int

const (
	orderOpen orderKind = iota
	orderFocus
	orderClose
	orderConnect
	orderDisconnect
)
