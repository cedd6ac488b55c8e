package probe

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"webmcphub/cdpclient"
)

//go:embed observer.js
var observer string

// Commands and events that only the check uses.
const (
	networkEnable           = "Network.enable"
	networkRequest          = "Network.requestWillBeSent"
	networkResponse         = "Network.responseReceived"
	networkFinished         = "Network.loadingFinished"
	networkFailed           = "Network.loadingFailed"
	storageTrackIndexedDB   = "Storage.trackIndexedDBForOrigin"
	storageIndexedDBUpdated = "Storage.indexedDBContentUpdated"
	runIfWaiting            = "Runtime.runIfWaitingForDebugger"
)

// maxActivity limits how many requests, timers and writes of a page are kept.
const maxActivity = 5_000

// activity is what a page does beside its tools: what it loads, which timers it has set, what it writes. It is part
// of the tape, and the tape's lock guards it.
type activity struct {
	loading map[string]bool      // requests without a response, by requestKey
	known   map[string]bool      // addresses that were requested before
	timers  map[string]time.Time // when timers are due
	stirred time.Time            // when the page last did something new
	settled bool                 // timers that are set from now on don't count
	effects []effect
}

// An effect is something that a page did which others can notice: a dialog, a request that changes something, or a
// value that it stored.
type effect struct{ kind, what string }

// The kinds of effects.
const (
	dialogEffect = "dialog"
	writeEffect  = "write"
)

func newActivity() activity {
	return activity{loading: map[string]bool{}, known: map[string]bool{}, timers: map[string]time.Time{},
		stirred: time.Now()}
}

// note records an event, and reports whether the tape needn't keep it.
func (a *activity) note(e cdpclient.Event) bool {
	switch {
	case e.Method == networkRequest:
		a.request(e)
	case e.Method == networkResponse, e.Method == networkFinished, e.Method == networkFailed:
		var r struct {
			RequestID string `json:"requestId"`
			Response  struct{ MimeType string }
		}
		if json.Unmarshal(e.Params, &r) == nil &&
			(e.Method != networkResponse || r.Response.MimeType == "text/event-stream") { // an event stream never ends
			delete(a.loading, requestKey(e, r.RequestID))
		}
	case e.Method == storageIndexedDBUpdated:
		var db struct{ DatabaseName, ObjectStoreName string }
		if json.Unmarshal(e.Params, &db) == nil {
			a.effect(writeEffect, fmt.Sprintf("the IndexedDB %s, %s", db.DatabaseName, db.ObjectStoreName))
		}
	case e.Method == cdpclient.PageJavascriptDialogOpening:
		var d struct{ Type, Message string }
		if json.Unmarshal(e.Params, &d) == nil {
			a.effect(dialogEffect, fmt.Sprintf("%s(%q)", d.Type, d.Message[:min(len(d.Message), 100)]))
		}
	case e.Method == cdpclient.RuntimeBindingCalled:
		return a.timer(e)
	case e.Method == cdpclient.WebMCPToolsAdded, e.Method == cdpclient.WebMCPToolsRemoved,
		e.Method == cdpclient.PageFrameNavigated, e.Method == cdpclient.PageLoadEventFired:
		a.stirred = time.Now()
		return false
	default:
		return false
	}
	return true
}

func requestKey(e cdpclient.Event, id string) string { return string(e.Session) + " " + id }

// endless are the types of requests for which the check doesn't wait. A frame's document ends in another session.
var endless = []string{"Document", "EventSource", "WebSocket", "Ping", "Media", "Prefetch", "CSPViolationReport"}

// asking matches addresses of posted requests that change nothing, and of those that many pages send by themselves.
var asking = regexp.MustCompile(`(?i)(search|query|find|suggest|autocomplete|lookup|analytics|telemetry|collect|beacon|metrics|tracking|` +
	`sentry|/logs?\b|/events?\b)`)

func (a *activity) request(e cdpclient.Event) {
	var r struct {
		RequestID string `json:"requestId"`
		Type      string
		Request   struct{ URL, Method, PostData string }
	}
	if json.Unmarshal(e.Params, &r) != nil || slices.Contains(endless, r.Type) ||
		!strings.HasPrefix(r.Request.URL, "http") {
		return
	}
	address := r.Request.URL
	if u, err := url.Parse(address); err == nil {
		address = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	if len(a.loading) < maxActivity {
		a.loading[requestKey(e, r.RequestID)] = true
	}
	if !a.known[address] && len(a.known) < maxActivity {
		a.known[address] = true
		a.stirred = time.Now()
	}
	read := strings.Contains(r.Request.PostData, `"query"`) && !strings.Contains(r.Request.PostData, "mutation") // GraphQL
	if slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, r.Request.Method) && !read &&
		!asking.MatchString(address) {
		a.effect(writeEffect, r.Request.Method+" "+address)
	}
}

// timer records what recorder.js reports about a timer. It returns false for other reports.
func (a *activity) timer(e cdpclient.Event) bool {
	var called cdpclient.BindingCalled
	var t struct {
		Timer string
		After float64
	}
	if json.Unmarshal(e.Params, &called) != nil || called.Name != binding ||
		!strings.HasPrefix(called.Payload, `{"timer"`) || json.Unmarshal([]byte(called.Payload), &t) != nil {
		return false
	}
	id := string(e.Session) + " " + t.Timer
	if t.After < 0 { // the timer has fired, or was cancelled
		if _, set := a.timers[id]; set {
			delete(a.timers, id)
			a.stirred = time.Now()
		}
	} else if len(a.timers) < maxActivity && !a.settled {
		a.timers[id] = time.Now().Add(time.Duration(t.After * float64(time.Millisecond)))
	}
	return true
}

func (a *activity) effect(kind, what string) {
	if len(a.effects) < maxActivity {
		a.effects = append(a.effects, effect{kind, what})
	}
}

// busy says what the page is still doing, or returns "". The check waits no longer than until, so timers that are due
// later don't count.
func (t *tape) busy(until time.Time) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.loading) > 0 {
		return "it was still loading something"
	}
	for _, due := range t.timers {
		if due.Before(until) {
			return "a timer of its scripts was running"
		}
	}
	if time.Since(t.stirred) < stillness {
		return "its tools, or what it loads, were still changing"
	}
	return ""
}

// ignoreTimers makes timers that are set from now on count for nothing, because a script that does something each
// second never stops setting them.
func (t *tape) ignoreTimers() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settled = true
}

// effectsSince returns what the page did from effect number n on.
func (t *tape) effectsSince(n int) []effect {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.effects[min(n, len(t.effects)):])
}

// observed is what observer.js has seen since it was last asked.
type observed struct{ Changed, Stored []string }

// observe returns what has changed in the page's document, and what the page has stored, since the last call.
func (t *Tab) observe(ctx context.Context) (o observed) {
	if raw, err := t.ask(ctx, `globalThis.webmcpHubObserver?.take()`); err == nil {
		_ = json.Unmarshal(raw, &o) // null leaves o empty
	}
	return o
}

// documentStill reports whether the document has not changed in a new place for stillness.
func (t *Tab) documentStill(ctx context.Context) bool {
	raw, err := t.ask(ctx, `globalThis.webmcpHubObserver?.still() ?? 1e9`)
	if err != nil {
		return false
	}
	var ms float64
	return json.Unmarshal(raw, &ms) != nil || ms >= float64(stillness.Milliseconds())
}
