package records

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"webmcphub/automation/page"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// keptBodies is how many bytes of bodies Chrome keeps for one tab.
const keptBodies = 16 << 20

// Records has the records of one tab.
type Records struct {
	mu  sync.Mutex
	tab *Tab
	// started says that start has passed the first document to tab.
	started bool
	last    body // the body that was fetched last, so that all its parts need one fetch only
	sockets int  // the last document of which WebSockets were left out; 0 if none

	page    *page.Page // set by Attach, before any query
	permits func(origin string) bool
}

// NewRecords returns the records of a tab that isn't open yet. Its ids follow those of earlier records of the same
// tab.
func NewRecords(b Bounds, after LastIDs) *Records {
	r := &Records{tab: New(b, Start{})}
	r.tab.ContinueFrom(after)
	return r
}

// LastIDs returns the last ids that the records gave.
func (r *Records) LastIDs() LastIDs {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tab.LastIDs()
}

// SetOptions changes options with which a page will be opened, so that the page reports its events to r.
func (r *Records) SetOptions(o *page.Options) {
	o.Events, o.OnEvent, r.permits = Methods(), r.onEvent, o.Permits
	r.tab.Redact = r.Redacted
}

// Redacted returns an address in the form that an answer may contain. For an address that is kept out, that is only
// its origin, because the rest may hold secrets. Any goroutine may call it.
func (r *Records) Redacted(url string) string {
	if origin := Origin(url); origin != "" && (names.IsLive(url) || r.permits != nil && !r.permits(origin)) {
		return origin
	}
	return url
}

func (r *Records) onEvent(e cdpclient.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Method != cdpclient.PageFrameNavigated && !r.mayHear(e) && !r.leads(e) {
		return
	}
	if r.page != nil {
		if r.tab.SessionOrigins = r.page.OriginsIn(e.Session); r.first(e) {
			r.tab.SessionOrigins = nil
		}
	}
	r.tab.Event(e.Method, e.Params, string(e.Session))
}

// first says whether an event is about the request by which a new, still blank tab gets its first document. Such an
// event has no text of another document.
func (r *Records) first(e cdpclient.Event) bool {
	main, there := r.page.Main()
	return there && main.URL == "about:blank" && names.ParseAddress(main.Origin) == (names.Origin{}) &&
		e.Method == "Network.requestWillBeSent" && bytes.Contains(e.Params, []byte(`"type":"Document"`))
}

// leads says whether an event may be about the request that brings the next document. The current document has no
// part in that request. Events of requests that were not recorded are ignored.
func (r *Records) leads(e cdpclient.Event) bool {
	switch {
	case r.page == nil || !strings.HasPrefix(e.Method, "Network."):
		return false
	case e.Method == "Network.webSocketCreated":
		return false
	case e.Method == "Network.requestWillBeSent" && !bytes.Contains(e.Params, []byte(`"type":"Document"`)):
		return false
	}
	main, ok := r.page.Main()
	return !ok || main.Session == e.Session
}

// Attach begins recording: it enables the domains that report log entries, issues and requests. It must be called
// once, before all methods below. If a dialog blocks the page, the domains are enabled when the dialog is answered.
func (r *Records) Attach(ctx context.Context, p *page.Page) error {
	r.mu.Lock()
	r.page = p
	r.start()
	r.mu.Unlock()
	network := p.Setup(ctx, "Network.enable", map[string]any{
		"maxTotalBufferSize": keptBodies, "maxResourceBufferSize": MaxBody, "maxPostDataSize": 32 << 10,
		"enableDurableMessages": true,
	})
	r.mu.Lock()
	r.tab.NetworkOn(float64(time.Now().UnixMilli()))
	r.mu.Unlock()
	for _, err := range []error{network, p.Enable(ctx, "Log"), p.Enable(ctx, "Audits")} {
		if err != nil && !errors.As(err, new(*page.DialogOpen)) {
			return err
		}
	}
	return nil
}

// start passes the first document to tab, once the document is known. The caller holds mu.
func (r *Records) start() {
	if main, ok := r.page.Main(); ok && !r.started {
		r.started = true
		r.tab.Start(Start{Session: string(main.Session), Loader: main.Loader, URL: main.URL})
	}
}

// Messages lists console messages; see [Tab.Messages].
func (r *Records) Messages(q MessageQuery) (MessageList, error) {
	r.look()
	defer r.mu.Unlock()
	return r.tab.Messages(q)
}

// Message returns one console message, and its text for a model.
func (r *Records) Message(id int) (m Message, text string, err error) {
	r.look()
	defer r.mu.Unlock()
	if m, err = r.tab.Message(id); err != nil {
		return m, "", err
	}
	return m, m.Detail([]Document{r.tab.Document()}), nil
}

// Requests lists network requests; see [Tab.Requests].
func (r *Records) Requests(q RequestQuery) (RequestList, error) {
	r.look()
	defer r.mu.Unlock()
	list, err := r.tab.Requests(q)
	list.NoSockets = err == nil && r.sockets >= list.Documents[0].Seq
	return list, err
}

// Downloads lists the tab's downloads.
func (r *Records) Downloads(hides Hides) DownloadList {
	r.look()
	defer r.mu.Unlock()
	return r.tab.Downloads(hides)
}

// MessageOf returns the origins to which a message belongs; see [Tab.MessageOf].
func (r *Records) MessageOf(id int) []string {
	r.look()
	defer r.mu.Unlock()
	return r.tab.MessageOf(id)
}

// RequestOf does the same as [Records.MessageOf] for requests.
func (r *Records) RequestOf(id int) []string {
	r.look()
	defer r.mu.Unlock()
	return r.tab.RequestOf(id)
}

// look takes the lock for a query.
func (r *Records) look() {
	dropped := r.page.Dropped()
	r.mu.Lock()
	r.start()
	r.tab.Dropped(dropped)
}
