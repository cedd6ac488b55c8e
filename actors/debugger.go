package actors

import (
	"cmp"
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/browser"
	"webmcphub/actors/extbrowser"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// DebugAccess lets others use a tab over the debugging port, besides the hub. They make sessions of their own, and
// detach them, through a session of their own with the browser (Target.attachToBrowserTarget). So the hub doesn't
// take these sessions for its own.
type DebugAccess struct {
	Conn   *cdpclient.Conn
	Target string
	// PageOf returns the hub's id of another target of the same browser. Any goroutine may call it.
	PageOf func(target string) registry.PageID
	// Origins says which documents of the browser agents may see; nil means all.
	Origins *names.Origins
	Gone    <-chan struct{} // closed when the tab is gone
	// Answered says that the hub answers the tab's dialogs at once.
	Answered bool
}

// debugAnswer is the connection to a tab, or the reason why there is none.
type debugAnswer struct {
	conn browser.Conn
	err  error
}

// DebugAccess returns access to a tab. It doesn't wait for Chrome. The error says why there is none: the tab is gone;
// it is reached by its browser's extension or another program; the hub was told to leave it alone; or its browser
// isn't connected.
func (h *Hub) DebugAccess(page registry.PageID) (DebugAccess, error) {
	to, err := h.debugged(page)
	if err != nil {
		return DebugAccess{}, err
	}
	a, err := ask(h, to, to.Supervisor, func(give func(debugAnswer)) any {
		return browser.FindConn{Page: page, Give: func(conn browser.Conn, err error) { give(debugAnswer{conn, err}) }}
	})
	if err != nil || a.err != nil {
		return DebugAccess{}, errors.Join(err, a.err)
	}
	policy := h.options.Dialogs
	origins, there := h.originsOf(to.Supervisor)
	if !there {
		return DebugAccess{}, tab.ErrClosed
	}
	return DebugAccess{
		Conn: a.conn.Conn, Target: a.conn.Target, PageOf: a.conn.PageOf, Origins: origins, Gone: to.Gone(),
		Answered: policy == tab.DismissDialogs || policy == tab.AcceptDialogs,
	}, nil
}

// AutomationAccess does the same as [Hub.DebugAccess], but also for tabs that are reached by their browser's extension.
// The extension attaches its debugger to such a tab, and Chrome shows the user a banner about that. The extension
// detaches when the last session on the connection is detached; after that, only the next AutomationAccess gives
// access. If the caller attaches no session, the extension detaches after some seconds.
func (h *Hub) AutomationAccess(page registry.PageID) (DebugAccess, error) {
	if !h.viaExtension(page) {
		return h.DebugAccess(page)
	}
	to, d, err := h.automate(page, false)
	if err != nil {
		return DebugAccess{}, err
	}
	return DebugAccess{Conn: d.Conn, Target: d.Target, PageOf: d.PageOf, Origins: h.tabs.Origins, Gone: to.Gone()}, nil
}

// CanAutomate says whether [Hub.AutomationAccess] could give access to a tab, and whether it would be over a
// debugging port. No extension attaches because of it.
func (h *Hub) CanAutomate(page registry.PageID) (ported bool, err error) {
	if h.viaExtension(page) {
		_, _, err = h.automate(page, true)
		return false, err
	}
	_, err = h.DebugAccess(page)
	return true, err
}

// automate asks the extension of a tab's browser for access to the tab, or only whether it could give access.
func (h *Hub) automate(page registry.PageID, ifAllowed bool) (*tab.Address, extbrowser.Debugged, error) {
	found, ok := h.pages.Load(page)
	if !ok {
		return nil, extbrowser.Debugged{}, tab.ErrClosed
	}
	to := found.(*tab.Address)
	type answer struct {
		extbrowser.Debugged
		err error
	}
	a, err := ask(h, to, to.Supervisor, func(give func(answer)) any {
		return extbrowser.Debug{Page: page, IfAllowed: ifAllowed,
			Give: func(d extbrowser.Debugged, err error) { give(answer{d, err}) }}
	})
	return to, a.Debugged, errors.Join(err, a.err)
}

// originsOf returns the rules for the documents of a supervisor's browser, and whether the hub still has that
// browser.
func (h *Hub) originsOf(keeps *actor.PID) (rules *names.Origins, there bool) {
	for _, c := range h.chromes.list() {
		if c.pid == keeps {
			return cmp.Or(c.Origins, h.tabs.Origins), true
		}
	}
	return nil, false
}

// OpenDialog returns the dialog that is open in a tab, as far as the hub knows, and whether one is open.
func (h *Hub) OpenDialog(page registry.PageID) (cdpclient.OpenDialog, bool) {
	to, err := h.debugged(page)
	if err != nil {
		return cdpclient.OpenDialog{}, false
	}
	d, err := ask(h, to, to.PID, func(give func(*cdpclient.OpenDialog)) any { return cdp.FindDialog{Give: give} })
	if err != nil || d == nil {
		return cdpclient.OpenDialog{}, false
	}
	return *d, true
}

// debugged returns a tab that is reached over a debugging port.
func (h *Hub) debugged(page registry.PageID) (*tab.Address, error) {
	found, ok := h.pages.Load(page)
	switch {
	case !ok && h.stopping.Load():
		return nil, ErrStopped
	case !ok:
		return nil, errors.New("the tab is gone: it was closed, or its browser is away")
	case h.viaExtension(page):
		return nil, errors.New("has no debugging port: the tab is reached by its browser's extension; start Chrome " +
			"with a debugging port and have the hub connect to that (--browser-url, --auto-connect or --launch)")
	}
	return found.(*tab.Address), nil
}

// ask sends a question to an actor and waits for the answer, until the tab is gone or the hub ends. question gets the
// function give, by which the actor answers. give never blocks; only its first call counts.
func ask[A any](h *Hub, to *tab.Address, asked *actor.PID, question func(give func(A)) any) (a A, err error) {
	answer := make(chan A, 1)
	h.root.Send(asked, question(func(a A) {
		select {
		case answer <- a:
		default:
		}
	}))
	select {
	case a = <-answer:
		return a, nil
	case <-to.Gone():
		return a, tab.ErrClosed
	case <-h.chromes.stopped:
		return a, ErrStopped
	}
}
