package actors

import (
	"context"
	"errors"

	"webmcphub/actors/extbrowser"
	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/advice"
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
func (h *Hub) AddExtension(w extlink.Link) { h.root.Send(h.extBrowsers, extbrowser.Opened{Wire: w}) }

// ExtensionsKeptOut says why extensions can't connect, for agents to know; or
// with "" that they can.
func (h *Hub) ExtensionsKeptOut(why string) { h.root.Send(h.extBrowsers, extbrowser.KeptOut{Why: why}) }

// ExtensionTurnedAway says why one that came was sent away, for agents to know while
// none is connected; who names it, such as "a browser's extension".
func (h *Hub) ExtensionTurnedAway(who, why string) {
	h.root.Send(h.extBrowsers, extbrowser.TurnedAway{Why: who + " came, but was refused: " + why})
}
