package keeper

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/registry"
)

// Facts in the past tense, orders in the imperative. Besides these a keeper gets
// [tab.ActorFailed], and what its connections say.

// To a keeper.
type (
	// Stop ends the actor and its connections.
	Stop struct{}
	// RegistryFailed says that the registry actor panicked: it has to be told
	// everything again.
	RegistryFailed struct{}
	// Parted says that a connection is closed, see [Keeper.Part].
	Parted struct{ what any }
	// Connect asks for a browser.
	Connect struct {
		Launch bool // one may be started for it
		// WithoutExtension is why no browser comes by its extension, "" if one can. The
		// keeper of those fills it in, and who reads the reply may read it.
		WithoutExtension string
		Reply[Connected]
	}
	// Order asks for something to be done with a tab. What it needs of the fields
	// depends on what that is.
	Order struct {
		Does       Action
		Page       registry.PageID // which tab; with OpenTab, beside which
		URL        string
		Background bool // OpenTab leaves the tab in front alone
		Reply[Answer]
	}
)

// To the registry actor.
type (
	// StartAnew answers RegistryFailed: everything follows.
	StartAnew struct{}
	// Answered gives those who asked for a browser their answer, behind all that was
	// told before: what they are then shown has it.
	Answered struct {
		Orders []*Connect
		Answer Connected
	}
)

// Give gives the answers. It may be called again.
func (a Answered) Give() {
	for _, o := range a.Orders {
		o.Give(a.Answer)
	}
}

// Action is what an [Order] asks for.
type Action string

// The actions. ConnectTab and DisconnectTab are the hub's being attached to a page.
const (
	OpenTab       Action = "open"
	FocusTab      Action = "focus"
	CloseTab      Action = "close"
	ConnectTab    Action = "connect"
	DisconnectTab Action = "disconnect"
	ListTitles    Action = "titles"
)

// Answer is what came of an [Order].
type Answer struct {
	Page   registry.PageID            // of OpenTab
	Titles map[registry.PageID]string // of ListTitles
	Err    error
}

// Connected is what came of a [Connect].
type Connected struct {
	Info BrowserInfo
	Err  error
}

// BrowserInfo names a browser, for example "Chrome" and "156.0.8078.79".
type BrowserInfo struct{ Name, Version string }

var (
	// ErrStopped says that the hub is stopping or has stopped.
	ErrStopped = errors.New("the hub is stopping")
	// ErrNoBrowser says that there is none to carry out an order.
	ErrNoBrowser = errors.New("no browser is connected")
	// ErrTabClosed says that the tab of an order is gone.
	ErrTabClosed = errors.New("the tab was closed meanwhile")
	// ErrInternal says that the actor panicked.
	ErrInternal = errors.New("an internal error of the hub")
)

// A Reply brings one answer from an actor to a caller's goroutine.
type Reply[A any] struct{ answer chan A }

// NewReply is one to wait for.
func NewReply[A any]() Reply[A] { return Reply[A]{make(chan A, 1)} }

// Give gives the answer and never waits. Only the first one counts.
func (r Reply[A]) Give(a A) {
	select {
	case r.answer <- a:
	default:
	}
}

// Wait waits for the answer, until ctx ends, of which late then tells, or the hub.
func (r Reply[A]) Wait(ctx context.Context, ended <-chan struct{}, late string) (A, error) {
	var none A
	select {
	case a := <-r.answer:
		return a, nil
	case <-ctx.Done():
		return none, fmt.Errorf("%s (%w)", late, context.Cause(ctx))
	case <-ended:
		return none, ErrStopped
	}
}
