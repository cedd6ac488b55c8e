package page

import (
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
)

// event processes an event of Chrome. Events of sessions that have ended, or about things that aren't known any more,
// are ignored.
func (o *owner) event(e cdpclient.Event) {
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		with(e, func(v cdpclient.AttachedToTarget) { o.attached(e.Session, v) })
		return
	case cdpclient.TargetDetachedFromTarget:
		with(e, func(v cdpclient.DetachedFromTarget) { o.detached(v.SessionID) })
		return
	case cdpclient.TargetTargetCreated:
		with(e, o.tabCreated)
		return
	}
	s := o.sessions[e.Session]
	if s == nil {
		return
	}
	switch e.Method {
	case cdpclient.PageFrameAttached:
		with(e, func(v cdpclient.FrameAttached) { o.frameAttached(s, v) })
	case cdpclient.PageFrameDetached:
		with(e, func(v cdpclient.FrameDetached) { o.frameDetached(s, v) })
	case cdpclient.PageFrameNavigated:
		with(e, func(v cdpclient.FrameNavigated) { o.navigated(s, v) })
	case cdpclient.PageNavigatedWithinDocument:
		with(e, func(v cdpclient.NavigatedWithinDocument) { o.within(s, v) })
	case cdpclient.RuntimeExecutionContextCreated:
		with(e, func(v cdpclient.ExecutionContextCreated) { o.contextCreated(s, v.Context) })
	case cdpclient.RuntimeExecutionContextDestroyed:
		with(e, func(v cdpclient.ExecutionContextDestroyed) { o.contextDestroyed(s, v.ExecutionContextID) })
	case cdpclient.RuntimeExecutionContextsCleared:
		o.contextsCleared(s)
	default:
		o.happened(e)
	}
}

// happened processes events that aren't about frames and their worlds.
func (o *owner) happened(e cdpclient.Event) {
	switch e.Method {
	case "Page.lifecycleEvent":
		with(e, o.lifecycle)
	case cdpclient.PageFrameRequestedNavigation:
		with(e, o.requested)
	case cdpclient.PageFrameStartedNavigating:
		with(e, o.startedNavigating)
	case cdpclient.PageFrameStoppedLoading:
		with(e, o.stoppedLoading)
	case cdpclient.PageWindowOpen:
		o.each(func(h *Happened) { h.Windows++ })
	case "Page.downloadWillBegin":
		with(e, o.download)
	case cdpclient.PageJavascriptDialogOpening:
		with(e, o.dialogOpening)
	case cdpclient.PageJavascriptDialogClosed:
		o.dialogClosed()
	case cdpclient.InspectorTargetCrashed:
		switch {
		case e.Session != o.tab.id:
		case o.opt.Wake != Stays && !o.mainReady() && !o.woken.Load():
			o.woken.Store(true)
			if o.opt.Wake == Leaves {
				o.post(o.tab.id, cdpclient.PageNavigate, map[string]any{"url": "about:blank"}, nil)
			} else {
				o.post(o.tab.id, "Page.reload", nil, nil) // Chrome then also answers earlier commands
			}
		default:
			o.end(&Ended{Why: Crashed})
		}
	case cdpclient.InspectorReloadAfterCrash:
		// A discarded page now answers the commands that it got before. For a crashed page, Chrome refuses them, so
		// they are sent again.
		if e.Session == o.tab.id && o.woken.Load() && o.tab.pending == 0 && !o.mainReady() {
			o.prepare(o.tab)
		}
	}
}

// with decodes an event and passes it to f. An event that can't be decoded is ignored.
func with[T any](e cdpclient.Event, f func(T)) {
	var v T
	if json.Unmarshal(e.Params, &v) == nil {
		f(v)
	}
}

// chromeError returns Chrome's refusal if that is what err wraps, or else nil.
func chromeError(err error) *cdpclient.Error {
	if refusal, ok := errors.AsType[*cdpclient.Error](err); ok {
		return refusal
	}
	return nil
}
