package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"webmcphub/cdpclient"
	"webmcphub/registry/sanitize"
)

// maxSeen bounds each of the lists of a [Watch], and maxLoading that of its requests. What comes later is left out.
const (
	maxSeen    = 200
	maxLoading = 1000
)

// Happened is what a [Watch] has seen so far, oldest first.
type Happened struct {
	Navigations []Navigation
	Dialogs     []Dialog // also those that have closed again
	Popups      []Popup
	// Windows counts what the page has asked to be opened. A tab follows within some
	// ten milliseconds, unless the browser blocks it.
	Windows   int
	Downloads []Download
	// Requests are those for data or code that have no whole answer yet. Of a stream, its beginning is one.
	Requests []Request
	Begun    map[string]int // how many such requests each frame has begun
}

// Request is one that a frame's document has begun.
type Request struct {
	id     requestID
	Frame  string
	Number int // of those that the frame has begun, from 1
}

// requestID says which request of the page one is.
type requestID struct {
	session cdpclient.SessionID
	id      string
}

// Navigation is one of a frame. Which of its steps there are depends on its kind: a
// script's is requested first, a user's is not.
type Navigation struct {
	Frame, Loader string // the loader is known from Started on
	Main          bool
	URL           string
	Requested     bool // by the page
	Started       bool
	Committed     bool   // the document is there
	Loaded        bool   // and all that it shows
	Stopped       bool   // nothing more is loaded
	Within        bool   // in the same document: a fragment, pushState
	Failed        string // why it brought no document, or one that says so
}

// Over says whether nothing more is to come of a navigation.
func (n Navigation) Over() bool { return n.Within || n.Loaded || n.Stopped || n.Failed != "" }

// Popup is a tab or window that the page opened.
type Popup struct{ Target, URL string }

// Download is one that the page began.
type Download struct{ GUID, URL, Name, Frame string }

// Watch sees what happens in a page from when it was made; see [Page.Watch].
type Watch struct {
	p    *Page
	seen Happened // the owner's
}

// Watch begins to watch. What a command does that is sent after this call is seen; it
// doesn't wait. Close the watch when done.
func (p *Page) Watch() *Watch {
	w := &Watch{p: p, seen: Happened{Begun: map[string]int{}}}
	p.ask(func(o *owner) {
		o.watches[w] = struct{}{}
		o.discover()
	})
	return w
}

// Close ends the watch. What it has seen can be read no more.
func (w *Watch) Close() { w.p.ask(func(o *owner) { delete(o.watches, w) }) }

// Seen is what the watch has seen so far. The copy is the caller's.
func (w *Watch) Seen() Happened {
	var seen Happened
	_ = w.Wait(context.Background(), func(h Happened) bool { seen = h.clone(); return true })
	return seen
}

// Wait waits until what the watch has seen is enough. enough is asked on the page's own
// goroutine; it must neither block nor keep what it is given, but may copy it.
func (w *Watch) Wait(ctx context.Context, enough func(Happened) bool) error {
	return w.p.await(ctx, func(*owner) (bool, error) { return enough(w.seen), nil })
}

func (h Happened) clone() Happened {
	h.Navigations, h.Dialogs = slices.Clone(h.Navigations), slices.Clone(h.Dialogs)
	h.Popups, h.Downloads = slices.Clone(h.Popups), slices.Clone(h.Downloads)
	h.Requests, h.Begun = slices.Clone(h.Requests), maps.Clone(h.Begun)
	return h
}

// watching is who watches the page.
type watching struct {
	watches    map[*Watch]struct{}
	discovers  bool // Chrome is asked to tell of tabs
	discovered bool // and has told of those that were there
}

// discover has Chrome tell of new tabs, from the next command on.
func (o *owner) discover() {
	if o.discovers {
		return
	}
	o.discovers = true
	o.post(o.browser, cdpclient.TargetSetDiscoverTargets, cdpclient.SetDiscoverTargetsParams{
		Discover: true, Filter: []cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}},
	}, func(cdpclient.Reply) { o.discovered = true })
}

// each has all watches note something.
func (o *owner) each(note func(*Happened)) {
	for w := range o.watches {
		note(&w.seen)
	}
}

func add[T any](to *[]T, what T) {
	if len(*to) < maxSeen {
		*to = append(*to, what)
	}
}

// note changes the newest navigation of a frame, if it was seen to begin.
func (o *owner) note(frame string, change func(*Navigation)) {
	o.each(func(h *Happened) {
		for i := len(h.Navigations) - 1; i >= 0; i-- {
			if n := &h.Navigations[i]; n.Frame == frame && !n.Within {
				change(n)
				return
			}
		}
	})
}

// requested notes that the page asks for a navigation of a frame.
func (o *owner) requested(e requestedNavigation) {
	if e.Disposition != "" && e.Disposition != "currentTab" {
		return
	}
	o.each(func(h *Happened) {
		add(&h.Navigations, Navigation{Frame: e.FrameID, Main: e.FrameID == o.main, URL: e.URL, Requested: true})
	})
}

// requestedNavigation is the event Page.frameRequestedNavigation.
type requestedNavigation struct {
	cdpclient.FrameRequestedNavigation
	Disposition string `json:"disposition"`
}

// begun notes that a frame's next document is on its way.
func (o *owner) begun(e startedNavigating) {
	o.each(func(h *Happened) {
		for i := len(h.Navigations) - 1; i >= 0; i-- {
			n := &h.Navigations[i]
			if n.Frame != e.FrameID || n.Within {
				continue
			}
			if n.Requested && !n.Started && !n.Over() {
				n.Started, n.URL, n.Loader = true, e.URL, e.LoaderID
				return
			}
			if !n.Over() && !n.Committed {
				n.Failed = "another navigation took its place"
			}
			break
		}
		add(&h.Navigations, Navigation{Frame: e.FrameID, Main: e.FrameID == o.main, URL: e.URL, Loader: e.LoaderID,
			Started: true})
	})
}

func (o *owner) movedWithin(f *frame) {
	o.each(func(h *Happened) {
		if i := len(h.Navigations) - 1; i >= 0 && h.Navigations[i].Frame == f.id && h.Navigations[i].Requested &&
			!h.Navigations[i].Started && !h.Navigations[i].Within {
			h.Navigations[i].Within, h.Navigations[i].URL = true, f.url
			return
		}
		add(&h.Navigations, Navigation{Frame: f.id, Main: f.id == o.main, URL: f.url, Loader: f.loader, Within: true})
	})
}

func (o *owner) tabCreated(e cdpclient.TargetInfoChanged) {
	if o.discovered && e.TargetInfo.OpenerID == o.target {
		o.each(func(h *Happened) { add(&h.Popups, Popup{e.TargetInfo.TargetID, e.TargetInfo.URL}) })
	}
}

func (o *owner) tabChanged(e cdpclient.TargetInfoChanged) {
	o.each(func(h *Happened) {
		for i := range h.Popups {
			if h.Popups[i].Target == e.TargetInfo.TargetID {
				h.Popups[i].URL = e.TargetInfo.URL
			}
		}
	})
}

// downloadWillBegin is the event Page.downloadWillBegin.
type downloadWillBegin struct {
	FrameID           string `json:"frameId"`
	GUID              string `json:"guid"`
	URL               string `json:"url"`
	SuggestedFilename string `json:"suggestedFilename"`
}

func (o *owner) download(e downloadWillBegin) {
	d := Download{e.GUID, e.URL, sanitize.Text(e.SuggestedFilename, 300), e.FrameID}
	o.each(func(h *Happened) { add(&h.Downloads, d) })
}

// awaited are the types of requests whose answers scripts may go on with.
var awaited = map[string]bool{"Fetch": true, "XHR": true, "Script": true, "Stylesheet": true}

// request takes note of what Chrome says of a request, and says whether that is news to a watch.
func (o *owner) request(e cdpclient.Event) (news bool) {
	if len(o.watches) == 0 || !strings.HasPrefix(e.Method, "Network.") {
		return false
	}
	with(e, func(v struct {
		RequestID string `json:"requestId"`
		Type      string `json:"type"`
		FrameID   string `json:"frameId"`
		Response  struct {
			MimeType string `json:"mimeType"`
		} `json:"response"`
	},
	) {
		id := requestID{e.Session, v.RequestID}
		switch {
		case e.Method == "Network.requestWillBeSent" && awaited[v.Type]:
			o.each(func(h *Happened) {
				if !slices.ContainsFunc(h.Requests, func(r Request) bool { return r.id == id }) { // it isn't led on
					h.Begun[v.FrameID]++
					if len(h.Requests) < maxLoading {
						h.Requests = append(h.Requests, Request{id, v.FrameID, h.Begun[v.FrameID]})
					}
				}
			})
		case e.Method == "Network.loadingFinished", e.Method == "Network.loadingFailed",
			e.Method == "Network.responseReceived" && v.Response.MimeType == "text/event-stream":
			o.each(func(h *Happened) {
				rest := slices.DeleteFunc(h.Requests, func(r Request) bool { return r.id == id })
				news = news || len(rest) < len(h.Requests)
				h.Requests = rest
			})
		}
	})
	return news
}
