package records_test

import (
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/automation/records"
)

// TestRulesWithinAProcess: origins of one site share a process, and the debugging session
// with it; nothing is recorded of the one that is kept out.
func TestRulesWithinAProcess(t *testing.T) {
	t.Parallel()
	site, other := Serve(t, Pages{}), Serve(t, Pages{
		"/frame": `<script>console.log("secret"); fetch("/data.json?secret").finally(() => { console.error("secret too"); parent.postMessage("done", "*"); throw new Error("secret as well") })</script>`,
	})
	site.Set("/", `<!doctype html><script>onmessage = () => setTimeout(() => console.log("the frame is done"), 100)</script><iframe src="`+other.URL("a", "")+`/frame"></iframe>`)
	r := record(NewTab(t, site, "about:blank"), func(o *page.Options) { o.Permits = func(origin string) bool { return origin == site.URL("a", "") } })
	r.Goto(site.URL("a", "/"))
	r.until("the frame's end", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "the frame is done") })
	if is := r.messages(records.MessageQuery{Preserved: true}); strings.Contains(is, "secret") {
		t.Errorf("heard: %s", is)
	}
	l, err := r.Requests(records.RequestQuery{Preserved: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := l.Text(); strings.Contains(text, "data.json") {
		t.Errorf("recorded: %s", text)
	}
}

// TestSocketsWithinAProcess: that WebSockets are left out is said, and only where it is so.
func TestSocketsWithinAProcess(t *testing.T) {
	t.Parallel()
	site, other := Serve(t, Pages{}), Serve(t, Pages{"/frame": `<p>x`})
	const opens = `<!doctype html><script>new WebSocket("ws://" + location.host + "/socket").onerror = () => console.log("it is over")</script>`
	site.Set("/alone", opens)
	site.Set("/", `<!doctype html><iframe src="`+other.URL("a", "")+`/frame" onload="document.body.append(document.createRange().createContextualFragment(s.innerHTML))"></iframe><template id=s>`+opens+`</template>`)
	r := record(NewTab(t, site, "about:blank"), func(o *page.Options) { o.Permits = func(origin string) bool { return origin == site.URL("a", "") } })
	for _, c := range []struct {
		path string
		left bool
	}{{"/", true}, {"/alone", false}} {
		r.Goto(site.URL("a", c.path))
		r.until("the WebSocket", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "it is over") })
		if is := r.requests(records.RequestQuery{}); strings.Contains(is, "WebSockets are left out") != c.left || strings.Contains(is, "/socket") == c.left {
			t.Errorf("%s: %s", c.path, is)
		}
	}
}

// TestLogWithinAProcess: what Chrome logs of the requests of a document that is kept out isn't
// recorded, nor are issues with them; those of the document that isn't are.
func TestLogWithinAProcess(t *testing.T) {
	t.Parallel()
	site, other := Serve(t, Pages{}), Serve(t, Pages{})
	other.Set("/frame", `<img src="`+other.URL("c", "/nothing?s3cret")+`" onerror="parent.postMessage('done', '*')">`)
	site.Set("/", `<!doctype html><script>onmessage = () => document.body.append(Object.assign(new Image(), {src: "/missing?own"}))</script><body><iframe src="`+other.URL("a", "")+`/frame"></iframe>`)
	r := record(NewTab(t, site, "about:blank"), func(o *page.Options) { o.Permits = func(origin string) bool { return origin == site.URL("a", "") } })
	r.Goto(site.URL("a", "/"))
	own := func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "Failed to load resource") }
	r.until("what is logged of the page itself, later than the frame's", own)
	l, err := r.Messages(records.MessageQuery{Preserved: true})
	if err != nil {
		t.Fatal(err)
	}
	is := r.messages(records.MessageQuery{Preserved: true, Stacks: true})
	entries := strings.Count(is, "[error] Failed to load")
	for _, m := range l.Messages {
		is += m.Detail(nil)
	}
	if strings.Contains(is, "s3cret") || entries != 1 {
		t.Errorf("heard: %s", is)
	}
}

// TestHubsOwnPagesAreNotRecorded: what a hub's live page loads and logs isn't recorded, also
// by a hub without rules for sites: its path is a secret.
func TestHubsOwnPagesAreNotRecorded(t *testing.T) {
	t.Parallel()
	const path = "/webmcp-hub-live-s3cret/"
	site := Serve(t, Pages{})
	site.Set(path, `<!doctype html><link rel=stylesheet href="live.css"><script>console.log("s3cret"); fetch("events")</script>`)
	site.Set("/after", `<!doctype html><script>console.log("after")</script>`)
	r := record(NewTab(t, site, "about:blank"))
	r.Goto(site.URL("127", path))
	r.Goto(site.URL("127", "/after"))
	r.until("the page after it", func() bool { return strings.Contains(r.messages(records.MessageQuery{}), "after") })
	is := r.messages(records.MessageQuery{Preserved: true}) + r.requests(records.RequestQuery{Preserved: true})
	if strings.Contains(is, "s3cret") || strings.Contains(is, "live.css") || !strings.Contains(is, "/after") {
		t.Errorf("recorded: %s", is)
	}
}
