package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// The level that a client wanted of pages' log messages goes with it.
func TestLogLevelsGoWithTheirClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/")
		join := func(level string) *rawClient {
			c := h.connect(true)
			c.handshake()
			if level != "" {
				c.one("logging/setLevel", `{"level":"`+level+`"}`)
			}
			return c
		}
		wantLevels := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := strings.Join(h.levels, " "); got != want {
				t.Errorf("pages were told %q, want %q", got, want)
			}
		}
		join("").hangUp()
		wantLevels("") // no client has set any
		one, two := join("debug"), join("warning")
		wantLevels("debug")
		one.hangUp()
		wantLevels("debug warning")
		three := join("error")
		wantLevels("debug warning")
		two.hangUp()
		wantLevels("debug warning error")
		three.hangUp()
		wantLevels("debug warning error")
		join("emergency").hangUp()
		wantLevels("debug warning error") // a client that sets none wants errors

		w, _ := h.onPipes(t)
		v := w.begin()
		v.send(ask("1", "logging/setLevel", `{"level":"info"}`))
		wantLevels("debug warning error info")
		v.web.send("DELETE", "", v.headers...)
		wantLevels("debug warning error info error")
	})
}

// Sessions come and go while others' ends have the levels told anew: the race
// detector sees whether one is looked at before it is whole.
func TestSessionsThatComeAreWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.Server.logLevelSet(true)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					sess := &session{server: h.Server, ctx: t.Context()}
					h.Server.add(sess, h.Server.options.Settings, false, "test")
					h.Server.remove(sess)
				}
			})
		}
		all.Wait()
	})
}

// Of two tabs that a client keeps to itself at once, the later one is kept.
func TestConcurrentExclusiveFocus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		release := make(chan struct{})
		b.activating = func(_ context.Context, page registry.PageID) {
			if page == "A" {
				<-release
			}
		}
		a, other := h.connect(true), h.connect(true)
		for _, c := range []*rawClient{a, other} {
			c.handshake()
		}
		a.send(callLine("1", "focus_tab", `{"tabId":1,"exclusive":true}`))
		synctest.Wait()
		a.send(callLine("2", "focus_tab", `{"tabId":2,"exclusive":true}`))
		synctest.Wait()
		close(release)
		for _, l := range a.take() {
			if l != listChanged && !strings.Contains(said(t, l), `"success":true`) {
				t.Error(l)
			}
		}
		if got := other.call("focus_tab", `{"tabId":2,"exclusive":true}`); !strings.Contains(got, "is kept by another client") {
			t.Errorf("the tab that was focused last is not kept: %s", got)
		}
		if got := other.call("call_webmcp_tool", `{"name":"add"}`); got != "A/add {}" {
			t.Errorf("the tab before is kept: %s", got)
		}
		if got := a.call("call_webmcp_tool", `{"name":"search","page":1}`); got != "B/search {}" {
			t.Error(got)
		}
	})
}

// A tab that can't be focused after all is kept by nobody.
func TestAFocusThatFailsKeepsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		a, other := h.connect(true), h.connect(true)
		a.handshake()
		other.handshake()
		b.activating = func(_ context.Context, page registry.PageID) {
			b.activating = nil
			h.change(registry.PageChanged{Page: page, State: "crashed"})
		}
		if got := a.call("focus_tab", `{"tabId":1,"exclusive":true}`); !strings.Contains(got, "tab 1 was closed meanwhile") && !strings.HasPrefix(got, "error: Tab 1") {
			t.Error(got)
		}
		h.change(registry.PageChanged{Page: "A"}, tools("A", 1, "add"))
		a.take()
		other.take()
		if got := other.call("call_webmcp_tool", `{"name":"add"}`); got != "A/add {}" {
			t.Error(got)
		}
	})
}

// A focus_tab that is still running when its session ends leaves no lease behind.
func TestALeaseIsNotTakenAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		w, _ := h.onPipes(t)
		gone, other := w.begin(), w.begin()
		release := make(chan struct{})
		b.activating = func(context.Context, registry.PageID) { <-release } // a browser that doesn't answer
		over := make(chan struct{})
		for _, tab := range []string{"1", "2"} { // one takes its lease before the end, the other would after it
			go func() {
				gone.send(callLine(tab, "focus_tab", `{"tabId":`+tab+`,"exclusive":true}`))
				over <- struct{}{}
			}()
			synctest.Wait()
		}
		w.send("DELETE", "", gone.headers...)
		close(release)
		<-over
		<-over
		b.activating = nil
		for _, name := range []string{"a_test_page0", "b_test_page1"} {
			if got := other.call("webmcp_"+name+"_search", `{}`); !strings.HasSuffix(got, "/search {}") {
				t.Error(got)
			}
		}
		if n := h.calls.Leases.Count(); n != 0 {
			t.Errorf("%d tabs are still kept", n)
		}
	})
	var l view.Leases
	over := view.NewClient("over", wire.NewConn(false), nil, false)
	over.Conn.Stop(wire.ErrSessionOver)
	if l.Take("A", over) {
		t.Error("a session that is over took a tab")
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// A filter that lets nothing through is acknowledged, and answered at once.
func TestAnEmptySubscriptionIsAcknowledgedFirst(t *testing.T) {
	for range 20 { // it was a matter of who came first
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo)
			c := h.connect(true)
			for i := range 20 {
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{},%s}}`, i, modernMeta))
				lines := c.take()
				if len(lines) != 2 || !strings.Contains(lines[0], "notifications/subscriptions/acknowledged") || !strings.HasPrefix(lines[1], fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, i)) {
					t.Fatalf("got %q", lines)
				}
			}
			c.hangUp()
			w, _ := h.onPipes(t)
			body, headers := modern("7", "subscriptions/listen", `{"notifications":{}}`)
			for range 20 {
				stream := w.listen("POST", body, headers...)
				<-stream.over
				if got := stream.take(); len(got) != 2 || !strings.Contains(got[0], "acknowledged") || !strings.Contains(got[1], `"id":7,"result":`) {
					t.Fatalf("over HTTP: %q", got)
				}
			}
		})
	}
}

// What a subscriptions/listen request watches is watched no longer than it runs,
// though its client goes on.
func TestSubscriptionsEndWithTheirRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1", "note://2")
		note2 := strings.Replace(note0, "%2F1", "%2F2", 1)
		c := h.connect(true)
		listen := func(id int, uris ...string) {
			t.Helper()
			list, _ := json.Marshal(uris)
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":%s},%s}}`, id, list, modernMeta))
			if got := c.take(); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
				t.Fatalf("got %q", got)
			}
		}
		listen(1, note0)
		listen(2, note0, note2)
		h.heard()
		changed := func() {
			h.Apply([]registry.Effect{registry.ResourcesUpdated{Server: serverOf("A", 1), URIs: []string{"note://1", "note://2"}}})
		}
		changed()
		if got := c.take(); len(got) != 3 {
			t.Errorf("told %q", got)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		c.expect()
		h.expectHeard(`A resources/unsubscribe {"uri":"note://2"}`)
		changed()
		if got := c.take(); len(got) != 1 || !strings.Contains(got[0], `"subscriptionId":1`) && !strings.Contains(got[0], `subscriptionId":1}`) {
			t.Errorf("told %q", got)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		c.expect()
		h.expectHeard(`A resources/unsubscribe {"uri":"note://1"}`)
		changed()
		c.expect()

		// One that is cancelled while the page is still asked.
		asked := make(chan struct{}, 2)
		h.answer = func(ctx context.Context, _ registry.DocumentRef, method string, _ func(json.RawMessage)) (json.RawMessage, error) {
			asked <- struct{}{}
			if method == "resources/subscribe" {
				select {
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				case <-time.After(time.Hour):
				}
			}
			return json.RawMessage(`{}`), nil
		}
		listen(3, note0)
		<-asked
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
		c.expect()
		if n := h.topicsLeft(); n != 0 {
			t.Errorf("%d topics are left", n)
		}
		changed()
		c.expect()
		c.hangUp()
	})
}

// A page that is slow to end a subscription is asked for the next one of the same
// resource behind that, or it could end the wrong one.
func TestSubscribingFollowsUnsubscribing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1")
		var asking atomic.Int32
		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			if asking.Add(1) > 1 {
				t.Error("the page is asked two things about one resource at a time")
			}
			defer asking.Add(-1)
			fakeclock.Pause(time.Second)
			return json.RawMessage(`{}`), nil
		}
		c := h.connect(true)
		listen := func(id int) {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["%s"]},%s}}`, id, note0, modernMeta))
		}
		listen(1)
		fakeclock.Elapse(time.Minute)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		synctest.Wait()
		listen(2)
		fakeclock.Elapse(time.Minute)
		h.expectHeard(`A resources/subscribe {"uri":"note://1"}`, `A resources/unsubscribe {"uri":"note://1"}`, `A resources/subscribe {"uri":"note://1"}`)
		c.take()
		h.Apply([]registry.Effect{registry.ResourcesUpdated{Server: serverOf("A", 1), URIs: []string{"note://1"}}})
		if got := c.take(); len(got) != 1 {
			t.Errorf("told %q", got)
		}
		c.hangUp()
		fakeclock.Elapse(time.Minute)
		if n := h.topicsLeft(); n != 0 {
			t.Errorf("%d topics are left", n)
		}
	})
}

// A subscription that the server ends is answered, which is the protocol's graceful
// closure: its result names the subscription. The page on cancellation asks for
// notifications/cancelled instead, but the schema has this result for it, and
// clients take it for the graceful end.
func TestSubscriptionsAreAnsweredWhenTheServerEnds(t *testing.T) {
	wantEnd := func(t *testing.T, got []string) {
		t.Helper()
		if len(got) != 1 {
			t.Fatalf("got %q", got)
		}
		var m struct {
			ID     int
			Result struct {
				ResultType string
				Meta       map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(got[0]), &m); err != nil {
			t.Fatal(err)
		}
		if m.ID != 7 || m.Result.ResultType != "complete" || m.Result.Meta["io.modelcontextprotocol/subscriptionId"] != 7.0 {
			t.Errorf("got %s", got[0])
		}
	}
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		c.send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
		if got := c.take(); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
			t.Fatalf("got %q", got)
		}
		c.cancel(wire.ErrSessionOver)
		wantEnd(t, c.take())
		<-c.served

		w, _ := h.onPipes(t)
		body, headers := modern("7", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
		stream := w.listen("POST", body, headers...)
		if got := stream.take(); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
			t.Fatalf("over HTTP: %q", got)
		}
		w.stop(wire.ErrSessionOver)
		<-stream.over
		wantEnd(t, stream.take())
	})
}
