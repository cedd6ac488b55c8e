package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/extbrowser"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
)

// BrowserInfo names the browser that the hub is connected to, for example
// "Chrome" and "156.0.8078.79".
type BrowserInfo = supervisor.BrowserInfo

// ErrStopped says that the hub is stopping or has stopped.
var ErrStopped = supervisor.ErrStopped

// ErrNoBrowser says that no browser is connected that would do.
var ErrNoBrowser = supervisor.ErrNoBrowser

// Connect returns when a browser is reached: one whose extension is connected,
// or Chrome, trying at once if it isn't. With launch, Options.Launcher starts
// one if none is found. Where there are several browsers, it is the first of those in, or of
// all, that is connected; else all these are reached for, and the first to be there counts.
// The error says why none could be reached and what to do.
func (h *Hub) Connect(ctx context.Context, launch bool, in ...string) (BrowserInfo, error) {
	const late = "the browser was not reached in time"
	reach := supervisor.Order{Does: supervisor.ReachBrowser, Launch: launch}
	if h.options.Browsers == nil {
		a, err := h.send(ctx, h.extBrowsers, reach, late)
		return a.Info, err
	}
	return h.connectAny(ctx, in, reach, late)
}

// OpenTab opens a tab, whose address the caller has checked and the rules for sites permit, and says by which
// id its page will be known, perhaps is already. If the page beside which it
// should open is gone, or in a browser that opens no tabs or is none of at.In, the first
// browser that does opens it.
func (h *Hub) OpenTab(ctx context.Context, at registry.NewTab) (registry.PageID, error) {
	if err := h.tabs.Origins.KeptOut(cmp.Or(at.For, at.URL)); err != nil {
		return "", err
	}
	open := supervisor.Order{Does: supervisor.OpenTab, Page: at.Beside, URL: at.URL, Background: at.Background}
	if h.viaExtension(at.Beside) && (at.In == nil || slices.Contains(at.In, registry.ExtensionBrowser)) {
		a, err := h.orderExt(ctx, open)
		if !errors.Is(err, registry.OpensNoTabs{}) && !errors.Is(err, supervisor.ErrNoBrowser) {
			return a.Page, err
		}
	}
	a, err := h.openWhenReached(ctx, open, at)
	if errors.Is(err, supervisor.ErrNoBrowser) && (at.In == nil || slices.Contains(at.In, registry.ExtensionBrowser)) {
		a, err = h.orderExt(ctx, open)
	}
	return a.Page, err
}

// ActivateTab brings a tab to the front of its window.
func (h *Hub) ActivateTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.FocusTab, page)
}

// CloseTab closes a tab, without asking its page. It returns when the browser
// has taken the order; the page's end follows.
func (h *Hub) CloseTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.CloseTab, page)
}

// ConnectPage attaches to a page, if the hub isn't attached already. It
// returns when Chrome has done so; the page's tools follow.
func (h *Hub) ConnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.ConnectTab, page)
}

// DisconnectPage lets go of a page: its calls end, its tools go, and nothing
// of the hub acts in it any more. It returns when that has begun; the page's
// state in the catalog ([registry.NotConnected]) says when its tools are gone.
func (h *Hub) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.DisconnectTab, page)
}

// Titles asks Chrome which titles its tabs show now, since it doesn't announce all
// that scripts set. The catalog follows. Browsers that are reached by their extension
// tell each title by themselves.
func (h *Hub) Titles(ctx context.Context) (map[registry.PageID]registry.Title, error) {
	list := supervisor.Order{Does: supervisor.ListTitles}
	all := h.chromes.list()
	if len(all) == 1 {
		a, err := h.orderChrome(ctx, all[0].pid, list)
		return a.Titles, err
	}
	return h.titlesOfAll(ctx, all, list)
}

// order has the supervisor of a page's tab do something with the tab.
func (h *Hub) order(ctx context.Context, does supervisor.Action, page registry.PageID) error {
	o := supervisor.Order{Does: does, Page: page}
	by, ok := h.supervisorOf(o.Page)
	switch {
	case by == h.extBrowsers && ok:
		_, err := h.orderExt(ctx, o)
		return err
	case !ok && h.options.Browsers != nil: // whose it was isn't known
		return tab.ErrClosed
	case !ok:
		by = h.chromes.list()[0].pid
	}
	_, err := h.orderChrome(ctx, by, o)
	return err
}

// viaExtension says whether a page is an extension's.
func (h *Hub) viaExtension(page registry.PageID) bool {
	by, ok := h.supervisorOf(page)
	return ok && by == h.extBrowsers
}

// supervisorOf is who keeps a page's tab.
func (h *Hub) supervisorOf(page registry.PageID) (by *actor.PID, ok bool) {
	to, ok := h.pages.Load(page)
	if !ok {
		return nil, false
	}
	return to.(*tab.Address).Supervisor, true
}

func (h *Hub) orderChrome(ctx context.Context, to *actor.PID, o supervisor.Order) (supervisor.Answer, error) {
	return h.send(ctx, to, o, "the browser did not answer")
}

func (h *Hub) orderExt(ctx context.Context, o supervisor.Order) (supervisor.Answer, error) {
	return h.send(ctx, h.extBrowsers, o, "the browser's extension did not answer")
}

func (h *Hub) send(ctx context.Context, to *actor.PID, o supervisor.Order, late string) (supervisor.Answer, error) {
	return o.Send(ctx, h.root, to, h.chromes.stopped, late)
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
