package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Names of messages that state facts are in the past tense, those of orders in the imperative. A supervisor also gets
// [tab.ActorFailed], and what its connections report.

// Messages to a supervisor, in addition to [*Order].
type (
	// Stop ends the actor and its connections.
	Stop struct {
		Removed bool // only this browser is removed; the hub goes on
	}
	// RegistryFailed says that the registry actor panicked. The supervisor must report everything again.
	RegistryFailed struct{}
	// ConnectionClosed says that a connection is closed; see [Supervisor.CloseAfter].
	ConnectionClosed struct{ closing any }
	// Debug asks for a connection that carries CDP to a tab. An extension attaches its debugger to the tab if it hasn't
	// yet. It detaches when the last session on the connection is detached, or if no session is attached soon. Give
	// must not block. Only its first call counts.
	Debug struct {
		Page registry.PageID
		// IfAllowed only asks whether an extension could give such a connection. The extension attaches to nothing,
		// and Give gets no connection.
		IfAllowed bool
		Give      func(Debugged, error)
	}
)

// To the registry actor.
type (
	// Resync answers RegistryFailed. After it, the supervisor reports everything again.
	Resync struct{}
	// Answered makes the registry actor answer those who wait for a browser. It comes after the supervisor's earlier
	// reports. So the catalog already has these when the callers get their answer.
	Answered struct {
		Orders []*Order
		Answer Answer
	}
)

// Debugged is a connection that carries CDP to a tab, with the tab's target id.
type Debugged struct {
	Conn   *cdpclient.Conn
	Target string
	// PageOf returns the hub's id of another target of the same browser. Any goroutine may call it.
	PageOf func(target string) registry.PageID
	// Origins says which documents of the browser agents may see; nil means all.
	Origins *names.Origins
}

// Give answers the orders. It may be called again.
func (a Answered) Give() {
	for _, o := range a.Orders {
		o.Give(a.Answer)
	}
}

// Order asks a supervisor for something, on behalf of a caller in any goroutine. Does decides which of the other
// fields are used.
type Order struct {
	Does       OrderKind
	Page       registry.PageID // the tab; for OpenTab, the tab beside which the new one opens
	URL        string
	For        string       // for OpenTab, as in [registry.NewTab]
	May        func() error // for OpenTab, called just before the tab opens; an error refuses; may be nil
	Background bool         // for OpenTab, the new tab does not come to the front
	Launch     bool         // for ReachBrowser, a browser may be started
	Here       bool         // for ReachBrowser, answer at once whether a browser is connected

	answer chan Answer // has room for one answer
}

// OrderKind says what an [Order] asks for.
type OrderKind string

// The kinds of orders. ConnectTab and DisconnectTab attach the hub to a page and detach it.
const (
	ReachBrowser  OrderKind = "reach a browser"
	OpenTab       OrderKind = "open"
	FocusTab      OrderKind = "focus"
	CloseTab      OrderKind = "close"
	ConnectTab    OrderKind = "connect"
	DisconnectTab OrderKind = "disconnect"
	ListTitles    OrderKind = "list titles"
)

// Answer is the result of an [Order].
type Answer struct {
	Info   BrowserInfo                        // for ReachBrowser
	Why    string                             // for ReachBrowser, why no extension can connect; "" if one can
	Page   registry.PageID                    // for OpenTab
	Titles map[registry.PageID]registry.Title // for ListTitles
	Err    error
}

// BrowserInfo names a browser, for example "Chrome" and "156.0.8078.79".
type BrowserInfo struct{ Name, Version string }

var (
	// ErrStopped says that the hub is stopping or has stopped.
	ErrStopped = errors.New("the hub is stopping")
	// ErrNoBrowser says that there is no browser to carry out an order.
	ErrNoBrowser = errors.New("no browser is connected")
	// ErrInternal says that the actor panicked.
	ErrInternal = errors.New("an internal error of the hub")
)

// Give answers the order. It never blocks. Only the first answer counts.
func (o *Order) Give(a Answer) {
	select {
	case o.answer <- a:
	default:
	}
}

// Send makes a supervisor carry out the order, and waits for the answer until ctx or the hub ends. If ctx ends first,
// late begins the error. If a tab opens after that, Send closes it again.
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

// undo waits for the answer to an order to open a tab, and closes the tab if one has opened.
func (o *Order) undo(root *actor.RootContext, to *actor.PID, ended <-chan struct{}) {
	select {
	case a := <-o.answer:
		if a.Err == nil {
			root.Send(to, &Order{Does: CloseTab, Page: a.Page, answer: make(chan Answer, 1)})
		}
	case <-ended:
	}
}
