package automation

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"webmcphub/automation/automationtest"
)

// crash has the page crash.
func (r real) crash() {
	r.t.Helper()
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		r.t.Fatal(err)
	}
	p.Post("", "Page.crash", nil)
	<-p.Done()
}

// TestAfterACrash: the tab is usable again once it was navigated, and until then each tool says so.
// A call that fails tells as well what is gone, and no id means something else than it did.
func TestAfterACrash(t *testing.T) {
	r := openReal(t, automationtest.Pages{"/": `<p>here`, "/one": `<p>one`})
	r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/one")+`"}`, "The page is at")
	_, id, _ := strings.Cut(r.call("list_network_requests", `{}`).Text, "reqid=")
	id = strings.TrimRight(id[:strings.IndexFunc(id, func(c rune) bool { return c < '0' || c > '9' })], " ")
	r.says("emulate", `{"userAgent":"Another"}`, "")
	r.crash()
	r.fails("evaluate_script", `{"function":"() => 1"}`, "the page crashed. navigate_page loads it again.")
	r.fails("take_snapshot", `{}`, "navigate_page loads it again.")
	r.fails("navigate_page", `{"url":"http://nowhere.invalid/"}`, "had crashed. What emulate had set, its uids and what was recorded of it are gone.")
	r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/#again")+`"}`, "The page is at")
	r.at("/#again")
	r.says("take_snapshot", `{}`, "here")
	r.fails("get_network_request", `{"reqid":`+id+`}`, "no longer kept")
	r.crash()
	r.says("navigate_page", `{"type":"reload"}`, "had crashed.")
	r.at("/#again")
}

// TestLeaveAPageThatCrashesWhenLoaded: it isn't loaded again where the call leads elsewhere, and
// the call that loads it again says what does.
func TestLeaveAPageThatCrashesWhenLoaded(t *testing.T) {
	r := openReal(t, automationtest.Pages{"/": `<p>fine`, "/good": "<p>good",
		"/bad": `<p>bad<script>const x = new XMLHttpRequest(); x.open('GET', '/crash', false); x.send()</script>`})
	s, err := r.Conn.AttachTo(r.Ctx, r.Target)
	if err != nil {
		t.Fatal(err)
	}
	var crashes atomic.Int32
	r.Site.Handle(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != "/crash" {
			return false
		}
		crashes.Add(1)
		r.Conn.Post(s, "Page.crash", nil, nil)
		<-q.Context().Done()
		return true
	})
	r.fails("navigate_page", `{"url":"`+r.Site.URL("a", "/bad")+`"}`, "crashed. navigate_page loads it again")
	r.fails("navigate_page", `{"type":"reload"}`, "crashed. It crashes when it is loaded: navigate_page with another url leaves it")
	was := crashes.Load()
	r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/good")+`"}`, "The page is at")
	r.at("/good")
	if n := crashes.Load(); n != was || was != 2 {
		t.Errorf("it crashed %d times, and again as it was left", n)
	}
}

// TestTraceAfterAClientGone: the next client's trace waits until Chrome has ended that of a client
// that went, wherever that was.
func TestTraceAfterAClientGone(t *testing.T) {
	r := openReal(t, automationtest.HTML(`x`))
	defer trace()()
	for i := range 2 {
		a := newAgent(t, r.service, nil, "gone"+strings.Repeat("e", i))
		id := a.client.ID
		a.client = r.client
		a.client.ID = id
		a.says("performance_start_trace", `{"autoStop":false,"reload":false}`, "being recorded")
		ended := make(chan *Result, 1)
		if i%2 == 1 { // in the middle of its end
			go func() { ended <- a.call("performance_stop_trace", `{}`) }()
		} else {
			ended <- nil
		}
		r.service.ClientGone(id)
		r.says("performance_start_trace", `{"autoStop":false,"reload":false}`, "being recorded")
		<-ended
		r.says("performance_stop_trace", `{}`, "Trace trace-")
	}
}
