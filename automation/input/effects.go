package input

import (
	"context"
	"encoding/json"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// effects notes what happens in a page while an action is done, and waits for what it began.
type effects struct {
	page   *page.Page
	main   string
	events chan cdpclient.Event
	cancel func()
	frames map[string]*journey
	popups []string
}

// journey is a frame's way to its next document.
type journey struct {
	url    string
	asked  bool   // a navigation was asked for and hasn't ended
	loader string // of the document that is coming, or has come
	there  bool   // it has come
	ready  bool   // its DOM is there
	within string // where a navigation in the same document led
}

// effectEvents are bounded so that a page that navigates for ever costs no memory.
const effectEvents = 256

var effectMethods = []string{
	cdpclient.PageFrameRequestedNavigation, cdpclient.PageFrameStartedNavigating, cdpclient.PageFrameNavigated,
	cdpclient.PageNavigatedWithinDocument, cdpclient.PageFrameStoppedLoading, cdpclient.PageJavascriptDialogOpening,
	cdpclient.PageWindowOpen, "Page.lifecycleEvent", cdpclient.PageFrameDetached,
}

func (t *Tab) watch() *effects {
	f := &effects{page: t.page, events: make(chan cdpclient.Event, effectEvents), frames: map[string]*journey{}}
	if m, ok := t.page.Main(); ok {
		f.main = m.ID
	}
	f.cancel = t.page.Subscribe(func(e cdpclient.Event) {
		select {
		case f.events <- e:
		default:
		}
	}, effectMethods...)
	return f
}

// settle waits until the navigations that an action began, in the main frame or in the frame
// given, have brought their documents, at most as long as given, and fills in an outcome.
func (f *effects) settle(ctx context.Context, frame string, most time.Duration, out *Outcome) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	idle := time.NewTimer(unstarted)
	defer idle.Stop()
	f.drain()
	for f.travels(f.main) || f.travels(frame) {
		if d, open := f.page.Dialog(); open {
			if out.Dialog == nil {
				out.Dialog = &d
			}
			break
		}
		stop := false
		select {
		case e := <-f.events:
			f.note(e)
		case <-idle.C:
			f.forget()
		case <-timer.C:
			stop = true
		case <-f.page.Done():
			return f.page.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if stop {
			break
		}
	}
	out.Popups = f.popups
	out.Navigation = f.navigation(f.main)
	if out.Navigation == nil && frame != f.main {
		out.Navigation = f.navigation(frame)
	}
	return nil
}

// unstarted is how long a navigation that was asked for may take to begin: those to another
// program (mailto:) never do.
const unstarted = time.Second

// forget drops the navigations that were asked for and haven't begun.
func (f *effects) forget() {
	for _, j := range f.frames {
		if j.asked && j.loader == "" {
			j.asked = false
		}
	}
}

func (f *effects) drain() {
	for {
		select {
		case e := <-f.events:
			f.note(e)
		default:
			return
		}
	}
}

// travels says whether a frame is on its way to a document.
func (f *effects) travels(frame string) bool {
	j := f.frames[frame]
	return j != nil && (j.asked || j.there && !j.ready)
}

func (f *effects) navigation(frame string) *Navigation {
	j := f.frames[frame]
	switch {
	case j == nil:
		return nil
	case j.asked || j.there:
		n := &Navigation{URL: j.url, Ready: j.ready && !j.asked}
		if frame != f.main {
			n.Frame = frame
		}
		return n
	case j.within != "":
		return &Navigation{URL: j.within, Within: true, Ready: true}
	}
	return nil
}

func (f *effects) note(e cdpclient.Event) {
	var is struct {
		FrameID, LoaderID, URL, Disposition, NavigationType, Name, Reason, Type string

		Frame cdpclient.Frame
	}
	if json.Unmarshal(e.Params, &is) != nil {
		return
	}
	id := is.FrameID
	if id == "" {
		id = is.Frame.ID
	}
	j := f.frames[id]
	if j == nil {
		j = &journey{}
		f.frames[id] = j
	}
	switch e.Method {
	case cdpclient.PageFrameRequestedNavigation:
		if is.Disposition == "currentTab" {
			j.asked, j.url, j.loader = true, is.URL, ""
		}
	case cdpclient.PageFrameStartedNavigating:
		switch is.NavigationType {
		case "sameDocument", "historySameDocument":
		default:
			j.asked, j.url, j.loader = true, is.URL, is.LoaderID
		}
	case cdpclient.PageFrameNavigated:
		j.asked, j.there, j.ready, j.loader, j.url = false, true, false, is.Frame.LoaderID, is.Frame.URL+is.Frame.URLFragment
		if is.Type == cdpclient.NavigationBFCache {
			j.ready = true
		}
	case "Page.lifecycleEvent":
		if j.there && is.LoaderID == j.loader && (is.Name == "DOMContentLoaded" || is.Name == "load") {
			j.ready = true
		}
	case cdpclient.PageFrameStoppedLoading: // also of navigations that bring no document: downloads, 204
		j.asked = false
		if j.there {
			j.ready = true
		}
	case cdpclient.PageFrameDetached:
		if is.Reason != cdpclient.DetachSwap {
			j.asked, j.there = false, false
		}
	case cdpclient.PageNavigatedWithinDocument:
		j.within = is.URL
	case cdpclient.PageWindowOpen:
		f.popups = append(f.popups, is.URL)
	}
}
