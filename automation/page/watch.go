package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"webmcphub/cdpclient"
	"webmcphub/registry/sanitize"
)

// maxSeen bounds each of the lists of a [Watch], and maxLoading its list of requests. Later entries are left out.
const (
	maxSeen    = 200
	maxLoading = 1000
)

// Happened is what a [Watch] has seen so far. Its lists begin with the oldest entry.
type Happened struct {
	Navigations []Navigation
	Dialogs     []Dialog // including dialogs that have closed again
	Popups      []string // the target ids of the tabs and windows that the page opened
	// Windows counts the windows that the page has asked to open. A tab follows within some tens of milliseconds,
	// unless the browser blocks the window.
	Windows   int
	Downloads []string // the names of the downloads that began
	// Requests are the requests for data or code that have no complete answer yet. For an event stream, the beginning
	// of the answer counts as complete.
	Requests []Request
	Begun    map[string]int // how many such requests each frame has begun
}

// Request is a request that a frame's document has begun.
type Request struct {
	id     requestID
	Frame  string
	Number int // counts the frame's requests, from 1
}

// requestID identifies a request of the page.
type requestID struct {
	session cdpclient.SessionID
	id      string
}

// Navigation is a navigation of a frame. Its kind decides which steps it has: one that a script begins is requested
// first, one that a user begins is not.
type Navigation struct {
	Frame, Loader string // Loader is known once Started is true
	Main          bool
	URL           string
	Requested     bool // the page asked for it
	Started       bool
	Committed     bool   // its document is there
	Loaded        bool   // the load event has come
	Stopped       bool   // Chrome loads nothing more
	Within        bool   // it stayed in the same document: a fragment, pushState
	Failed        string // why it brought no document, or only an error page
}

// Over says whether the navigation has come to its end.
func (n Navigation) Over() bool { return n.Within || n.Loaded || n.Stopped || n.Failed != "" }

// Watch records what happens in a page from the moment at which it was made; see [Page.Watch].
type Watch struct {
	p    *Page
	seen Happened // only the page's owner touches it
}

// Watch begins to watch the page. It doesn't wait. The watch sees the effects of every command that is sent after
// this call. The caller closes the watch when done.
func (p *Page) Watch() *Watch {
	w := &Watch{p: p, seen: Happened{Begun: map[string]int{}}}
	p.ask(func(o *owner) {
		o.watches[w] = struct{}{}
		o.discover()
	})
	return w
}

// Close ends the watch. The caller can't read it afterwards.
func (w *Watch) Close() { w.p.ask(func(o *owner) { delete(o.watches, w) }) }

// Seen returns what the watch has seen so far. The caller may change the copy.
func (w *Watch) Seen() Happened {
	var seen Happened
	_ = w.Wait(context.Background(), func(h Happened) bool { seen = h.clone(); return true })
	return seen
}

// Wait waits until enough returns true for what the watch has seen. enough is called on the page's own goroutine. It
// must neither block nor keep its argument, but may copy it.
func (w *Watch) Wait(ctx context.Context, enough func(Happened) bool) error {
	return w.p.await(ctx, func(*owner) (bool, error) { return enough(w.seen), nil })
}

func (h Happened) clone() Happened {
	h.Navigations, h.Dialogs = slices.Clone(h.Navigations), slices.Clone(h.Dialogs)
	h.Popups, h.Downloads = slices.Clone(h.Popups), slices.Clone(h.Downloads)
	h.Requests, h.Begun = slices.Clone(h.Requests), maps.Clone(h.Begun)
	return h
}

// watchSet holds the watches of a page.
type watchSet struct {
	watches    map[*Watch]struct{}
	discovers  bool // Chrome has been asked to report tabs
	discovered bool // Chrome has reported the tabs that were there before
}

// discover makes Chrome report new tabs, from the next command on.
func (o *owner) discover() {
	if o.discovers {
		return
	}
	o.discovers = true
	o.post(o.browser, cdpclient.TargetSetDiscoverTargets, cdpclient.SetDiscoverTargetsParams{
		Discover: true, Filter: []cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}},
	}, func(cdpclient.Reply) { o.discovered = true })
}

// each applies note to what each watch has seen.
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

// note changes the newest navigation of a frame in each watch that saw it begin.
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

// requested records that the page asks for a navigation of a frame.
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

// begun records that a frame's next document is on its way.
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
		o.each(func(h *Happened) { add(&h.Popups, e.TargetInfo.TargetID) })
	}
}

// downloadWillBegin is the event Page.downloadWillBegin.
type downloadWillBegin struct{ SuggestedFilename string }

func (o *owner) download(e downloadWillBegin) {
	name := sanitize.Text(e.SuggestedFilename, 300)
	o.each(func(h *Happened) { add(&h.Downloads, name) })
}

// awaited holds the types of requests whose answers scripts may be waiting for.
var awaited = map[string]bool{"Fetch": true, "XHR": true, "Script": true, "Stylesheet": true}

// request processes an event about a network request, and says whether it changed what a watch has seen.
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
				if !slices.ContainsFunc(h.Requests, func(r Request) bool { return r.id == id }) { // no redirect
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
