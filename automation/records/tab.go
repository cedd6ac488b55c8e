package records

import (
	"encoding/json"
	"strings"
)

// Tab has the records of one tab. It may be used by one goroutine at a time.
type Tab struct {
	// Redact returns a document's address in the form that an answer may contain; nil leaves the address as it is. It
	// is set before anything else.
	Redact func(url string) string
	// SessionOrigins are the origins of the documents in the session that sends the next events.
	SessionOrigins []string

	bounds    Bounds
	documents []Document // oldest first; the last is the current one
	session   string     // the tab's own session, not those of its frames
	network   Since

	messages  ring[*message]
	requests  ring[*request]
	downloads ring[*Download]
	open      openRequests
	dropped   uint64
}

// Document is one document of the main frame.
type Document struct {
	Seq    int // counts up from 1 in each tab
	Loader string
	URL    string
	// How many records of this document fell out of the rings.
	LostMessages, LostRequests int
}

// Since says since when network requests are recorded.
type Since struct {
	Time     float64 // milliseconds since 1970; 0 if they are not recorded
	Document int     // the Seq of the document at that time; only for later ones nothing is missing
}

// Start says what is known of a tab when recording begins.
type Start struct {
	Session string // the tab's own CDP session
	Loader  string // the loader id of the main frame's document
	URL     string
}

// LastIDs are the last ids that a tab's records gave.
type LastIDs struct{ Messages, Requests, Downloads int }

// LastIDs returns the last ids that the records gave.
func (t *Tab) LastIDs() LastIDs { return LastIDs{t.messages.last, t.requests.last, t.downloads.last} }

// ContinueFrom makes ids follow those that earlier records of the same tab gave, so that no id means two things. It is
// called before there are any records.
func (t *Tab) ContinueFrom(g LastIDs) {
	t.messages.last, t.requests.last, t.downloads.last = g.Messages, g.Requests, g.Downloads
}

// New returns the records of a tab. If s isn't known yet, the caller sets it later by [Tab.Start].
func New(b Bounds, s Start) *Tab {
	t := &Tab{bounds: b.withDefaults()}
	t.messages.limit, t.requests.limit, t.downloads.limit = t.bounds.Messages, t.bounds.Requests, t.bounds.Downloads
	t.documents = []Document{{Seq: 1}}
	t.open.init()
	t.Start(s)
	return t
}

// Start sets the document that was there when recording began. What was recorded before belongs to it.
func (t *Tab) Start(s Start) {
	t.session = s.Session
	t.current().Loader, t.current().URL = s.Loader, clip(s.URL, maxURL)
}

// NetworkOn says that requests are recorded from now on (now is in milliseconds since 1970).
func (t *Tab) NetworkOn(now float64) {
	if t.network.Time == 0 {
		t.network = Since{Time: now, Document: t.current().Seq}
	}
}

// redacted returns an address in the form that an answer may contain.
func (t *Tab) redacted(url string) string {
	if t.Redact == nil {
		return url
	}
	return t.Redact(url)
}

// urlOf returns a request's address. The page may know which addresses it requests, but not the addresses of
// documents.
func (t *Tab) urlOf(r *Request) string {
	if r.Type == "document" {
		return t.redacted(r.URL)
	}
	return r.URL
}

// Document returns the current document of the main frame.
func (t *Tab) Document() Document { return *t.current() }

// Dropped sets how many events have been dropped so far because they came too fast.
func (t *Tab) Dropped(all uint64) { t.dropped = all }

// Methods returns the methods of the events that a Tab handles.
func Methods() []string {
	methods := make([]string, 0, len(handlers))
	for m := range handlers {
		methods = append(methods, m)
	}
	return methods
}

// Event handles a CDP event. It ignores events that aren't among [Methods] or can't be decoded. It keeps params for a
// while, so the caller must not change them.
func (t *Tab) Event(method string, params json.RawMessage, session string) {
	if handle := handlers[method]; handle != nil {
		handle(t, params, session)
	}
}

var handlers = map[string]func(t *Tab, params json.RawMessage, session string){
	"Page.frameNavigated": (*Tab).frameNavigated,

	"Runtime.consoleAPICalled": raw(kindConsole),
	"Runtime.exceptionThrown":  raw(kindException),
	"Log.entryAdded":           (*Tab).entryAdded,
	"Audits.issueAdded":        (*Tab).issue,

	"Network.requestWillBeSent":                  on((*Tab).requestWillBeSent),
	"Network.requestWillBeSentExtraInfo":         on((*Tab).requestExtra),
	"Network.responseReceived":                   on((*Tab).responseReceived),
	"Network.responseReceivedExtraInfo":          on((*Tab).responseExtra),
	"Network.requestServedFromCache":             on((*Tab).servedFromCache),
	"Network.dataReceived":                       on((*Tab).dataReceived),
	"Network.loadingFinished":                    on((*Tab).loadingFinished),
	"Network.loadingFailed":                      on((*Tab).loadingFailed),
	"Network.webSocketCreated":                   on((*Tab).socketCreated),
	"Network.webSocketWillSendHandshakeRequest":  on((*Tab).socketRequest),
	"Network.webSocketHandshakeResponseReceived": on((*Tab).socketResponse),
	"Network.webSocketFrameSent":                 on((*Tab).socketSent),
	"Network.webSocketFrameReceived":             on((*Tab).socketReceived),
	"Network.webSocketFrameError":                on((*Tab).socketError),
	"Network.webSocketClosed":                    on((*Tab).socketClosed),
	"Network.eventSourceMessageReceived":         on((*Tab).eventSourceMessage),

	"Page.downloadWillBegin":    on((*Tab).downloadBegins),
	"Page.downloadProgress":     on((*Tab).downloadProgress),
	"Browser.downloadWillBegin": on((*Tab).downloadBegins),
	"Browser.downloadProgress":  on((*Tab).downloadProgress),
}

// on decodes the parameters of an event for its handler.
func on[P any](handle func(t *Tab, p *P, session string)) func(*Tab, json.RawMessage, string) {
	return func(t *Tab, params json.RawMessage, session string) {
		p := new(P)
		if json.Unmarshal(params, p) == nil {
			handle(t, p, session)
		}
	}
}

func (t *Tab) current() *Document { return &t.documents[len(t.documents)-1] }

func (t *Tab) frameNavigated(params json.RawMessage, session string) {
	if session != t.session {
		return
	}
	var p struct {
		Frame struct{ ID, ParentID, LoaderID, URL, UnreachableURL string }
	}
	if json.Unmarshal(params, &p) != nil || p.Frame.ParentID != "" {
		return
	}
	if p.Frame.LoaderID == t.current().Loader { // reported again after the hub attached again
		return
	}
	url := p.Frame.URL
	if p.Frame.UnreachableURL != "" {
		url = p.Frame.UnreachableURL
	}
	t.begin(p.Frame.LoaderID, url)
}

// begin begins another document, and drops the oldest one.
func (t *Tab) begin(loader, url string) {
	seq := t.current().Seq + 1
	t.documents = append(t.documents, Document{Seq: seq, Loader: loader, URL: clip(url, maxURL)})
	for i := range t.requests.entries { // the request that brought it, and those that it has already made
		if s := &t.requests.entries[i]; loader != "" && s.value.loader == loader {
			s.document = seq
		}
	}
	if over := len(t.documents) - maxDocuments; over > 0 {
		t.documents = append([]Document(nil), t.documents[over:]...)
		first := t.documents[0].Seq
		t.messages.forget(first)
		t.requests.forget(first)
		t.open.forget(&t.requests)
	}
}

func (t *Tab) lostMessage(document int) { t.lost(document, func(d *Document) { d.LostMessages++ }) }
func (t *Tab) lostRequest(document int) { t.lost(document, func(d *Document) { d.LostRequests++ }) }

func (t *Tab) lost(document int, count func(*Document)) {
	if i := document - t.documents[0].Seq; i >= 0 && i < len(t.documents) {
		count(&t.documents[i])
	}
}

// clip cuts s off at max bytes at most, at the beginning of a character.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	const mark = "… [cut]"
	end := max - len(mark)
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return strings.Clone(s[:end]) + mark // a copy, so that the whole text can be freed
}
