package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/extbrowser"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
)

// BrowserInfo names a browser, for example "Chrome" and "156.0.8078.79".
type BrowserInfo = supervisor.BrowserInfo

// ErrStopped says that the hub is stopping or has stopped.
var ErrStopped = supervisor.ErrStopped

// ErrNoBrowser says that no suitable browser is connected.
var ErrNoBrowser = supervisor.ErrNoBrowser

// Connect returns when a browser is connected: one with the extension, or Chrome, which Connect tries to reach at once
// if it isn't connected. With launch, Options.Launcher starts a Chrome if none is found. If there are several
// browsers, Connect chooses the first one of in (or of all, if in is nil) that is connected. If none is, it tries to
// reach all of these and chooses the first that answers. The error says why it reached none and what to do. Unless in
// names a browser on a port, the error begins with the reason why no extension can connect.
func (h *Hub) Connect(ctx context.Context, launch bool, in ...string) (BrowserInfo, error) {
	if h.options.Browsers == nil {
		in = nil // the hub's one browser has no name
	}
	reach := supervisor.Order{Does: supervisor.ReachBrowser, Launch: launch}
	here := reach
	here.Here = true
	noExtension := ""
	if extensionAmong(in) {
		a, err := h.send(ctx, h.extBrowsers, here)
		if err == nil {
			return a.Info, nil
		}
		noExtension = a.Why
	}
	all := h.dialled.among(in)
	for _, c := range all {
		if a, err := h.send(ctx, c.pid, here); err == nil {
			return a.Info, nil
		}
	}
	info, err := BrowserInfo{}, supervisor.ErrNoBrowser
	if len(all) > 0 {
		info, err = h.firstOf(ctx, all, reach)
	}
	named := in != nil && len(all) > 0
	if err == nil || noExtension == "" || named || ctx.Err() != nil || errors.Is(err, ErrStopped) {
		return info, err
	}
	return info, fmt.Errorf("%s; %w", noExtension, err)
}

// extensionAmong says whether names, or all browsers if names is nil, include the browsers with the extension.
func extensionAmong(names []string) bool {
	return names == nil || slices.Contains(names, registry.ExtensionBrowser)
}

// OpenTab opens a tab and returns the id of its page, which the catalog may not have yet. The caller has checked the
// address; the rules for sites must permit it. If the page beside which the tab should open is gone, or if its browser
// opens no tabs or is not among at.In, the first browser that opens tabs opens it.
func (h *Hub) OpenTab(ctx context.Context, at registry.NewTab) (registry.PageID, error) {
	if err := h.tabs.Origins.KeptOut(cmp.Or(at.For, at.URL)); err != nil {
		return "", err
	}
	open := supervisor.Order{Does: supervisor.OpenTab, Page: at.Beside, URL: at.URL, For: at.For,
		Background: at.Background}
	if h.viaExtension(at.Beside) != nil && extensionAmong(at.In) {
		a, err := h.send(ctx, h.extBrowsers, open)
		if !errors.Is(err, registry.OpensNoTabs{}) && !errors.Is(err, supervisor.ErrNoBrowser) {
			return a.Page, err
		}
	}
	a, err := h.openWhenReached(ctx, open, at)
	if errors.Is(err, supervisor.ErrNoBrowser) && extensionAmong(at.In) {
		a, err = h.send(ctx, h.extBrowsers, open)
	}
	return a.Page, err
}

// ActivateTab brings a tab to the front of its window.
func (h *Hub) ActivateTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.FocusTab, page)
}

// CloseTab closes a tab without asking its page. It returns when the browser has accepted the order; the page ends
// soon after.
func (h *Hub) CloseTab(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.CloseTab, page)
}

// ConnectPage attaches the hub to a page, if it isn't attached already. It returns when Chrome has done so; the
// page's tools follow.
func (h *Hub) ConnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.ConnectTab, page)
}

// DisconnectPage detaches the hub from a page: the page's calls end, its tools go, and the hub does nothing in the
// page any more. It returns when that has begun. The page's state in the catalog ([registry.NotConnected]) says when
// its tools are gone.
func (h *Hub) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return h.order(ctx, supervisor.DisconnectTab, page)
}

// Titles asks the browsers on debugging ports which titles their tabs show now, because Chrome doesn't announce all
// titles that scripts set. The catalog is updated soon after. Browsers with the extension report each title by
// themselves.
func (h *Hub) Titles(ctx context.Context) (map[registry.PageID]registry.Title, error) {
	list := supervisor.Order{Does: supervisor.ListTitles}
	all := h.dialled.list()
	if len(all) == 1 {
		a, err := h.send(ctx, all[0].pid, list)
		return a.Titles, err
	}
	return h.titlesOfAll(ctx, all, list)
}

// order makes the supervisor of a page's tab carry out an order about the tab.
func (h *Hub) order(ctx context.Context, does supervisor.OrderKind, page registry.PageID) error {
	o := supervisor.Order{Does: does, Page: page}
	if to := h.address(page); to != nil {
		_, err := h.send(ctx, to.Supervisor, o)
		return err
	}
	if h.options.Browsers != nil { // the browser of the tab isn't known
		return tab.ErrClosed
	}
	_, err := h.send(ctx, h.dialled.list()[0].pid, o)
	return err
}

// viaExtension returns the address of a page that is reached by an extension, or nil.
func (h *Hub) viaExtension(page registry.PageID) *tab.Address {
	if to := h.address(page); to != nil && to.Supervisor == h.extBrowsers {
		return to
	}
	return nil
}

// send makes a supervisor carry out an order.
func (h *Hub) send(ctx context.Context, to *actor.PID, o supervisor.Order) (supervisor.Answer, error) {
	late := "the browser did not answer"
	switch {
	case o.Does == supervisor.ReachBrowser:
		late = "the browser was not reached in time"
	case to == h.extBrowsers:
		late = "the browser's extension did not answer"
	}
	return o.Send(ctx, h.root, to, h.dialled.stopped, late)
}

// AddExtension adds a browser whose extension has connected. The hub owns the wire from then on.
func (h *Hub) AddExtension(w extlink.Link) { h.root.Send(h.extBrowsers, extbrowser.Opened{Wire: w}) }

// ShowAgentStatus tells browsers' extensions what the user has set for agents. Extensions that connect later get the
// newest status.
func (h *Hub) ShowAgentStatus(s AgentStatus) { h.root.Send(h.extBrowsers, s) }

// ExtensionsKeptOut sets the reason why extensions can't connect, which agents read; "" means that they can.
func (h *Hub) ExtensionsKeptOut(why string) { h.root.Send(h.extBrowsers, extbrowser.KeptOut{Why: why}) }

// ExtensionTurnedAway sets the reason why the hub refused an extension. Agents read it while no extension is
// connected. who names the extension, such as "a browser's extension".
func (h *Hub) ExtensionTurnedAway(who, why string) {
	h.root.Send(h.extBrowsers, extbrowser.TurnedAway{Why: who + " came, but was refused: " + why})
}
