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

// Records are the records of one tab.
type Records struct {
	mu  sync.Mutex
	tab *Tab
	// started says that tab has been told which document is there.
	started bool
	last    body // fetched last, so that its pieces cost one fetch
	sockets int  // the last document of which WebSockets were left out; 0 is none

	page    *page.Page // set by Attach, before anybody asks
	permits func(origin string) bool
}

// New makes the records of a tab that isn't open yet, whose ids follow those of earlier ones of
// the same tab.
func NewRecords(b Bounds, after Given) *Records {
	r := &Records{tab: New(b, Start{})}
	r.tab.After(after)
	return r
}

// Given are the ids given last.
func (r *Records) Given() Given {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tab.Given()
}

// Hear has a page that is opened with these options tell its events.
func (r *Records) Hear(o *page.Options) {
	o.Hear, o.Heard, r.permits = Methods(), r.heard, o.Permits
	r.tab.Told = r.Told
}

// Told is an address as it may be told: of one that is kept out only its origin, as the rest may hold secrets.
// Any goroutine may call it.
func (r *Records) Told(url string) string {
	if origin := Origin(url); origin != "" && (names.IsLive(url) || r.permits != nil && !r.permits(origin)) {
		return origin
	}
	return url
}

func (r *Records) heard(e cdpclient.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Method != cdpclient.PageFrameNavigated && !r.mayHear(e) && !r.leads(e) {
		return
	}
	if r.page != nil {
		if r.tab.Of = r.page.OriginsIn(e.Session); r.first(e) {
			r.tab.Of = nil
		}
	}
	r.tab.Event(e.Method, e.Params, string(e.Session))
}

// first says whether an event is of the request by which a new tab, that is blank yet, gets its first document: it
// has the words of no other.
func (r *Records) first(e cdpclient.Event) bool {
	main, there := r.page.Main()
	return there && main.URL == "about:blank" && names.ParseAddress(main.Origin) == (names.Origin{}) &&
		e.Method == "Network.requestWillBeSent" && bytes.Contains(e.Params, []byte(`"type":"Document"`))
}

// leads says whether an event may be of the request that brings the next document, which
// the one before has no part in. Events of requests that were not let in are ignored.
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

// Attach begins the recording: it switches on what tells of log entries, issues and
// requests. It must be called once, before all methods below. Where a dialog holds the
// page up, that takes effect when the dialog is answered.
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

// start tells the records which document is there, once that is known. mu must be held.
func (r *Records) start() {
	if main, ok := r.page.Main(); ok && !r.started {
		r.started = true
		r.tab.Start(Start{Session: string(main.Session), Loader: main.Loader, URL: main.URL})
	}
}

// Messages lists console messages; see [records.Tab.Messages].
func (r *Records) Messages(q MessageQuery) (MessageList, error) {
	r.look()
	defer r.mu.Unlock()
	return r.tab.Messages(q)
}

// Message gives one console message, and its text for a model.
func (r *Records) Message(id int) (m Message, text string, err error) {
	r.look()
	defer r.mu.Unlock()
	if m, err = r.tab.Message(id); err != nil {
		return m, "", err
	}
	return m, m.Detail([]Document{r.tab.Document()}), nil
}

// Requests lists network requests; see [records.Tab.Requests].
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

// MessageOf are the origins that a message is of; see [records.Tab.MessageOf].
func (r *Records) MessageOf(id int) []string {
	r.look()
	defer r.mu.Unlock()
	return r.tab.MessageOf(id)
}

// RequestOf is [Records.MessageOf] for requests.
func (r *Records) RequestOf(id int) []string {
	r.look()
	defer r.mu.Unlock()
	return r.tab.RequestOf(id)
}

// look takes the lock to answer a query.
func (r *Records) look() {
	dropped := r.page.Dropped()
	r.mu.Lock()
	r.start()
	r.tab.Dropped(dropped)
}
