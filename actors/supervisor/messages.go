package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/registry"
)

// Facts in the past tense, orders in the imperative. Besides these a supervisor gets
// [tab.ActorFailed], and what its connections say.

// To a supervisor, beside [*Order].
type (
	// Stop ends the actor and its connections.
	Stop struct {
		Removed bool // the hub goes on without its browser
	}
	// RegistryFailed says that the registry actor panicked: it has to be told
	// everything again.
	RegistryFailed struct{}
	// ConnectionClosed says that a connection is closed, see [Supervisor.CloseAfter].
	ConnectionClosed struct{ closing any }
)

// To the registry actor.
type (
	// Retelling answers RegistryFailed: everything follows, told again.
	Retelling struct{}
	// Answered gives those who wait for a browser their answer, behind all that was
	// told before: what they are then shown has it.
	Answered struct {
		Orders []*Order
		Answer Answer
	}
)

// Give gives the answers. It may be called again.
func (a Answered) Give() {
	for _, o := range a.Orders {
		o.Give(a.Answer)
	}
}

// Order asks a supervisor for something, from a caller's goroutine. What it needs of the
// fields depends on what that is.
type Order struct {
	Does       Action
	Page       registry.PageID // which tab; with OpenTab, beside which
	URL        string
	May        func() error // why OpenTab must not, asked just before; nil is that it may
	Background bool         // OpenTab leaves the tab in front alone
	Launch     bool         // for ReachBrowser one may be started
	Here       bool         // for ReachBrowser none is reached for: it answers at once whether one is connected
	// WithoutExtension is why no browser can come by its extension, "" if one can,
	// from the supervisor of those: errors begin with it.
	WithoutExtension string

	answer chan Answer // has room for one
}

// Action is what an [Order] asks for.
type Action string

// The actions. ConnectTab and DisconnectTab are the hub's being attached to a page.
const (
	ReachBrowser  Action = "reach a browser"
	OpenTab       Action = "open"
	FocusTab      Action = "focus"
	CloseTab      Action = "close"
	ConnectTab    Action = "connect"
	DisconnectTab Action = "disconnect"
	ListTitles    Action = "list titles"
)

// Answer is what came of an [Order].
type Answer struct {
	Info   BrowserInfo                        // of ReachBrowser
	Page   registry.PageID                    // of OpenTab
	Titles map[registry.PageID]registry.Title // of ListTitles
	Err    error
}

// BrowserInfo names a browser, for example "Chrome" and "156.0.8078.79".
type BrowserInfo struct{ Name, Version string }

var (
	// ErrStopped says that the hub is stopping or has stopped.
	ErrStopped = errors.New("the hub is stopping")
	// ErrNoBrowser says that there is none to carry out an order.
	ErrNoBrowser = errors.New("no browser is connected")
	// ErrInternal says that the actor panicked.
	ErrInternal = errors.New("an internal error of the hub")
)

// Give answers the order and never waits. Only the first answer counts.
func (o *Order) Give(a Answer) {
	if a.Err != nil && o.WithoutExtension != "" {
		a.Err = fmt.Errorf("%s; %w", o.WithoutExtension, a.Err)
	}
	select {
	case o.answer <- a:
	default:
	}
}

// Send has a supervisor carry out the order, and waits for the answer, until ctx ends, of
// which late then tells, or the hub. A tab that opens when nobody waits for it any more is closed again.
func (o Order) Send(ctx context.Context, root *actor.RootContext, to *actor.PID, ended <-chan struct{},
	late string) (Answer, error) {
	o.answer = make(chan Answer, 1)
	root.Send(to, &o)
	select {
	case a := <-o.answer:
		return a, a.Err
	case <-ctx.Done():
		if o.Does == OpenTab {
			go o.undo(root, to, ended)
		}
		return Answer{}, fmt.Errorf("%s (%w)", late, context.Cause(ctx))
	case <-ended:
		return Answer{}, ErrStopped
	}
}

// undo closes the tab that an order to open one still brings.
func (o *Order) undo(root *actor.RootContext, to *actor.PID, ended <-chan struct{}) {
	select {
	case a := <-o.answer:
		if a.Err == nil {
			root.Send(to, &Order{Does: CloseTab, Page: a.Page, answer: make(chan Answer, 1)})
		}
	case <-ended:
	}
}
