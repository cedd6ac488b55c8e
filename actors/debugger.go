package actors

import (
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// DebugAccess lets others than the hub use a tab over CDP. They first attach a session to the browser itself
// (Target.attachToBrowserTarget), and attach and detach their sessions with tabs through it. So the hub doesn't take
// these sessions for its own.
type DebugAccess struct {
	supervisor.Debugged
	Gone <-chan struct{} // closed when the tab is gone
	// Answered says that the hub answers the tab's dialogs at once.
	Answered bool
}

// DebugAccess returns access to a tab over its browser's debugging port. It doesn't wait for Chrome. The error says
// why there is none: the tab is gone; only its browser's extension or another program reaches it; the hub is not
// attached to it; or its browser isn't connected.
func (h *Hub) DebugAccess(page registry.PageID) (DebugAccess, error) {
	to, err := h.viaCDP(page)
	if err != nil {
		return DebugAccess{}, err
	}
	a, err := h.access(to, supervisor.Debug{Page: page})
	if err != nil {
		return DebugAccess{}, err
	}
	policy := h.options.Dialogs
	a.Answered = policy == tab.DismissDialogs || policy == tab.AcceptDialogs
	return a, nil
}

// AutomationAccess returns the same as [Hub.DebugAccess], but also for tabs that the hub reaches by their browser's
// extension. The extension attaches its debugger to such a tab, and Chrome shows the user a banner about that. The
// extension detaches when the last session on the connection is detached; after that, only the next AutomationAccess
// gives access. If the caller attaches no session, the extension detaches after some seconds.
func (h *Hub) AutomationAccess(page registry.PageID) (DebugAccess, error) {
	if to := h.viaExtension(page); to != nil {
		return h.access(to, supervisor.Debug{Page: page})
	}
	return h.DebugAccess(page)
}

// CanAutomate says whether [Hub.AutomationAccess] could give access to a tab, and whether that access would be over a
// debugging port. It makes no extension attach its debugger.
func (h *Hub) CanAutomate(page registry.PageID) (ported bool, err error) {
	if to := h.viaExtension(page); to != nil {
		_, err = h.access(to, supervisor.Debug{Page: page, IfAllowed: true})
		return false, err
	}
	_, err = h.DebugAccess(page)
	return true, err
}

// access asks a tab's supervisor for access to the tab.
func (h *Hub) access(to *tab.Address, m supervisor.Debug) (DebugAccess, error) {
	type answer struct {
		supervisor.Debugged
		err error
	}
	a, err := ask(h, to, to.Supervisor, func(give func(answer)) any {
		m.Give = func(d supervisor.Debugged, err error) { give(answer{d, err}) }
		return m
	})
	return DebugAccess{Debugged: a.Debugged, Gone: to.Gone()}, errors.Join(err, a.err)
}

// OpenDialog returns the dialog that is open in a tab, as far as the hub knows, and whether one is open.
func (h *Hub) OpenDialog(page registry.PageID) (cdpclient.OpenDialog, bool) {
	to, err := h.viaCDP(page)
	if err != nil {
		return cdpclient.OpenDialog{}, false
	}
	d, err := ask(h, to, to.PID, func(give func(*cdpclient.OpenDialog)) any { return cdp.FindDialog{Give: give} })
	if err != nil || d == nil {
		return cdpclient.OpenDialog{}, false
	}
	return *d, true
}

// viaCDP returns the address of a page that is reached over CDP: every page that no extension reaches.
func (h *Hub) viaCDP(page registry.PageID) (*tab.Address, error) {
	to := h.address(page)
	switch {
	case to == nil && h.stopping.Load():
		return nil, ErrStopped
	case to == nil:
		return nil, errors.New("the tab is gone: it was closed, or its browser is away")
	case to.Supervisor == h.extBrowsers:
		return nil, errors.New("has no debugging port: the tab is reached by its browser's extension; start Chrome " +
			"with a debugging port and have the hub connect to that (--browser-url, --auto-connect or --launch)")
	}
	return to, nil
}

// ask sends a question to an actor and waits for the answer, until the tab is gone or the hub ends. question returns
// the message for the actor, which answers by calling give. give never blocks; only its first call counts.
func ask[A any](h *Hub, to *tab.Address, pid *actor.PID, question func(give func(A)) any) (a A, err error) {
	answer := make(chan A, 1)
	h.root.Send(pid, question(func(a A) {
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
	case <-h.dialled.stopped:
		return a, ErrStopped
	}
}
