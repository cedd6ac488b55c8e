package actors

import (
	"context"
	"errors"

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/endings"
)

// BrowserInfo names the browser that the hub is connected to, for example
// "Chrome" and "156.0.8078.79".
type BrowserInfo = keeper.BrowserInfo

// ErrStopped says that the hub is stopping or has stopped.
var ErrStopped = keeper.ErrStopped

// Connect returns when a browser is reached: one whose extension is connected,
// or Chrome, trying at once if it isn't. With launch, Options.Launcher starts
// one if none is found. The error says why none could be reached and what to do.
func (h *Hub) Connect(ctx context.Context, launch bool) (BrowserInfo, error) {
	a, err := keeper.Order{Does: keeper.ReachBrowser, Launch: launch}.Send(ctx, h.root, h.extBrowsers, h.stopped, "the browser was not reached in time")
	return a.Info, err
}

// OpenTab opens a tab, whose address the caller has checked, and says by which
// id its page will be known, perhaps is already. If the page beside which it
// should open is gone, or in a browser that opens no tabs, the first browser that
// does opens it.
func (h *Hub) OpenTab(ctx context.Context, at registry.NewTab) (registry.PageID, error) {
	open := keeper.Order{Does: keeper.OpenTab, Page: at.Beside, URL: at.URL, Background: at.Background}
	if h.viaExtension(at.Beside) {
		a, err := h.orderExt(ctx, open)
		if !errors.Is(err, advice.OpensNoTabs{}) && !errors.Is(err, keeper.ErrNoBrowser) {
			return a.Page, err
		}
	}
	a, err := h.orderChrome(ctx, open)
	if errors.Is(err, keeper.ErrNoBrowser) {
		a, err = h.orderExt(ctx, open)
	}
	return a.Page, err
}

// ActivateTab brings a tab to the front of its window.
func (h *Hub) ActivateTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, keeper.FocusTab, page)
}

// CloseTab closes a tab, without asking its page. It returns when the browser
// has taken the order; the page's end follows.
func (h *Hub) CloseTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, keeper.CloseTab, page)
}

// ConnectPage attaches to a page, if the hub isn't attached already. It
// returns when Chrome has done so; the page's tools follow.
func (h *Hub) ConnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, keeper.ConnectTab, page)
}

// DisconnectPage lets go of a page: its calls end, its tools go, and nothing
// of the hub acts in it any more. It returns when that has begun; the page's
// state in the catalog ([registry.NotConnected]) says when its tools are gone.
func (h *Hub) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, keeper.DisconnectTab, page)
}

// Titles asks Chrome which titles its tabs show now, since it doesn't announce all
// that scripts set. The catalog follows. Browsers that are reached by their extension
// tell each title by themselves.
func (h *Hub) Titles(ctx context.Context) (map[registry.PageID]string, error) {
	a, err := h.orderChrome(ctx, keeper.Order{Does: keeper.ListTitles})
	return a.Titles, err
}

// order has the keeper of a page's tab do something with the tab.
func (h *Hub) order(ctx context.Context, does keeper.Action, page registry.PageID) error {
	send := h.orderChrome
	if h.viaExtension(page) {
		send = h.orderExt
	}
	_, err := send(ctx, keeper.Order{Does: does, Page: page})
	return err
}

// viaExtension says whether a page is an extension's.
func (h *Hub) viaExtension(page registry.PageID) bool {
	to, ok := h.pages.Load(page)
	return ok && to.(*tab.Address).Keeper == h.extBrowsers
}

func (h *Hub) orderChrome(ctx context.Context, o keeper.Order) (keeper.Answer, error) {
	return o.Send(ctx, h.root, h.browser, h.stopped, "the browser did not answer")
}

func (h *Hub) orderExt(ctx context.Context, o keeper.Order) (keeper.Answer, error) {
	return o.Send(ctx, h.root, h.extBrowsers, h.stopped, "the browser's extension did not answer")
}

// AddExtension takes up a browser whose extension has connected; the hub owns
// the wire from now on.
func (h *Hub) AddExtension(w extlink.Link) { h.root.Send(h.extBrowsers, extOpened{w}) }

// ExtensionsKeptOut says why extensions can't connect, for agents to know; or
// with "" that they can.
func (h *Hub) ExtensionsKeptOut(why string) { h.root.Send(h.extBrowsers, keptOut{why}) }

// ExtensionRefused says why one that came was sent away, for agents to know while
// none is connected; who names it, such as "a browser's extension".
func (h *Hub) ExtensionRefused(who, why string) {
	h.root.Send(h.extBrowsers, refused{who + " came, but was refused: " + why})
}

// DebugAccess is how others use a tab over the debugging port, beside the hub: with
// sessions of their own, which they detach. They have them by a session with the browser
// of their own (Target.attachToBrowserTarget), so that the hub doesn't take them for its.
type DebugAccess struct {
	Conn   *cdpclient.Conn
	Target string
	Gone   <-chan struct{} // closed when the tab is
	// Answered says that the hub answers the tab's dialogs at once.
	Answered bool
}

// debugOrder asks the browser actor for the connection to a tab.
type debugOrder struct {
	page registry.PageID
	answerTo[debugAnswer]
}

type debugAnswer struct {
	conn *cdpclient.Conn
	err  error
}

// Debugger hands out access to a tab. It doesn't wait for Chrome. The error says why
// there is none: the tab is gone, or is reached by its browser's extension or another
// program, or the hub is told to leave it alone, or its browser is away.
func (h *Hub) Debugger(page registry.PageID) (DebugAccess, error) {
	to, err := h.debugged(page)
	if err != nil {
		return DebugAccess{}, err
	}
	o := debugOrder{page, newAnswerTo[debugAnswer]()}
	h.root.Send(h.browser, o)
	a, err := o.wait(h.stopped, to.Gone())
	if err != nil || a.err != nil {
		return DebugAccess{}, errors.Join(err, a.err)
	}
	policy := h.options.Dialogs
	return DebugAccess{
		Conn: a.conn, Target: string(page), Gone: to.Gone(),
		Answered: policy == tab.DismissDialogs || policy == tab.AcceptDialogs,
	}, nil
}

// DebugDialog is a dialog that is open in a tab, and the session that can answer it.
type DebugDialog = cdp.DebugDialog

// OpenDialog is the dialog that is open in a tab, as far as the hub knows; false if none is.
func (h *Hub) OpenDialog(page registry.PageID) (DebugDialog, bool) {
	to, err := h.debugged(page)
	if err != nil {
		return DebugDialog{}, false
	}
	answer := newAnswerTo[*DebugDialog]()
	h.root.Send(to.PID, cdp.FindDialog{Give: answer.give})
	d, err := answer.wait(h.stopped, to.Gone())
	if err != nil || d == nil {
		return DebugDialog{}, false
	}
	return *d, true
}

// debugged finds a tab that has a debugging port.
func (h *Hub) debugged(page registry.PageID) (*tab.Address, error) {
	found, ok := h.pages.Load(page)
	switch {
	case !ok && h.stopping.Load():
		return nil, ErrStopped
	case !ok:
		return nil, errors.New("the tab is gone: it was closed, or its browser is away")
	case h.viaExtension(page):
		return nil, errors.New("has no debugging port: the tab is reached by its browser's extension, which can't automate it; start Chrome with a debugging port and have the hub connect to that (--browser-url, --auto-connect or --launch)")
	}
	return found.(*tab.Address), nil
}

// debugOrdered answers a debugOrder.
func (b *browserActor) debugOrdered(o debugOrder) {
	switch t := b.tabs.Get(o.page); {
	case b.conn == nil:
		o.give(debugAnswer{err: keeper.ErrNoBrowser})
	case t == nil:
		o.give(debugAnswer{err: keeper.ErrTabClosed})
	case !b.wants(o.page):
		o.give(debugAnswer{err: errors.New(endings.PageNotConnected)})
	default:
		o.give(debugAnswer{conn: b.conn})
	}
}

// answerTo brings an actor's answer about a tab to a caller's goroutine.
type answerTo[A any] struct{ answer chan A }

func newAnswerTo[A any]() answerTo[A] { return answerTo[A]{make(chan A, 1)} }

// give never waits; the first word counts.
func (r answerTo[A]) give(a A) {
	select {
	case r.answer <- a:
	default:
	}
}

// wait waits until the tab is gone or the hub ends; actors don't make one wait longer.
func (r answerTo[A]) wait(ended, gone <-chan struct{}) (A, error) {
	var none A
	select {
	case a := <-r.answer:
		return a, nil
	case <-gone:
		return none, keeper.ErrTabClosed
	case <-ended:
		return none, ErrStopped
	}
}
