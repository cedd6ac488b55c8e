package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Two clients in focus mode work in tabs of their own.
func TestHTTPClientsDoNotDisturbEachOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		w, _ := h.onPipes(t)
		one, two := w.visit(), w.visit()
		for _, v := range []*visitor{one, two} {
			v.wantList("connect_browser")
			v.call("connect_browser", "{}")
			v.stream.expect(listChanged)
		}
		one.call("focus_tab", `{"tabId":1}`)
		one.stream.expect(listChanged)
		two.stream.expect() // that was the other's view
		two.call("focus_tab", `{"tabId":2}`)
		two.stream.expect(listChanged)
		one.stream.expect()
		one.wantList("close_tab", "focus_tab", "list_tabs", "open_tab", "add", "search")
		two.wantList("close_tab", "focus_tab", "list_tabs", "open_tab", "search")
		if got := one.call("search", `{}`); got != "A/search {}" {
			t.Error(got)
		}
		if got := two.call("search", `{}`); got != "B/search {}" {
			t.Error(got)
		}
		h.change(tools("A", 1, "add"))
		one.stream.expect(listChanged)
		two.stream.expect()
		h.change(tools("B", 1, "more"))
		one.stream.expect()
		two.stream.expect(listChanged)
		// Stale names are told by what each has read.
		if got := one.call("search", `{}`); !strings.HasPrefix(got, "error: search is gone") {
			t.Error(got)
		}
		if got := two.call("add", `{}`); !strings.HasPrefix(got, "error: no tool is called add") {
			t.Error(got)
		}
	})
}

// A name is refused if it means another page's tool than in the list that this
// client read last, and only then.
func TestHTTPStaleNamesPerSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "x")
		h.page("B", "https://a.test/", "x")
		w, _ := h.onPipes(t)
		old, fresh := w.visit(), w.visit()
		old.list()
		h.change(registry.PageClosed{Page: "A"})
		old.stream.expect(listChanged)
		fresh.stream.expect(listChanged)
		fresh.list()
		if got := old.call("webmcp_a_test_page0_x", `{}`); !strings.HasPrefix(got, "error: webmcp_a_test_page0_x: page 0 was closed") {
			t.Error(got)
		}
		if got := fresh.call("webmcp_a_test_page0_x", `{}`); got != "B/x {}" {
			t.Error(got)
		}
	})
}

// list_changed is one flag: however much changes while nobody listens.
func TestHTTPListChangedIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		w, _ := h.onPipes(t)
		v := w.begin()
		h.page("A", "https://a.test/", "x")
		h.change(tools("A", 1, "y"))
		stream := v.listen()
		stream.expect(listChanged)
		last := stream.lastID
		stream.hangUp()

		v.listen("Last-Event-ID: " + last).expect() // has had it
		v.stream.hangUp()
		v.listen().expect(listChanged) // may have missed it
		v.list()
		v.stream.hangUp()
		v.listen().expect() // has read the list since

		// The newer stream of two counts.
		older := v.stream
		newer := v.listen()
		<-older.over
		h.change(tools("A", 1, "z"))
		newer.expect(listChanged)
		// A client that has read the new list isn't told.
		newer.hangUp()
		h.change(tools("A", 1, "zz"))
		v.list()
		v.listen().expect()
	})
}

// The notification goes out after the answer of the call that brought the
// change about, however slowly the client reads that.
func TestHTTPResultFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		h = newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			h.change(tools("A", 1, "x", "new"))
			return sanitize.TextResult(strings.Repeat("long ", 10_000))
		})
		h.page("A", "https://a.test/", "x")
		w, _ := h.onPipes(t)
		v, other := w.visit(), w.visit()
		v.list()
		other.list()
		resp, err := v.do(t.Context(), "POST", callLine("1", "webmcp_a_test_page0_x", "{}"), v.headers...)
		if err != nil {
			t.Fatal(err)
		}
		other.stream.expect(listChanged)
		v.stream.expect() // the answer is on its way
		var body strings.Builder
		buffer := make([]byte, 4096)
		for {
			n, err := resp.Body.Read(buffer)
			body.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		resp.Body.Close()
		v.stream.expect(listChanged)
		if !strings.Contains(body.String(), "long long") {
			t.Error(body.String())
		}

		// But it waits no longer than wire.ResultFirst.
		h.change(tools("A", 1, "x"))
		v.list()
		v.stream.take()
		resp, err = v.do(t.Context(), "POST", callLine("1", "webmcp_a_test_page0_x", "{}"), v.headers...)
		if err != nil {
			t.Fatal(err)
		}
		v.stream.expect()
		<-time.After(wire.ResultFirst)
		v.stream.expect(listChanged)
		resp.Body.Close()
	})
}

// A client that never reads its event stream stops nobody, and little waits for it.
func TestHTTPClientThatDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		w, p := h.onPipes(t)
		v, other := w.begin(), w.visit()
		conn, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		request := "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:8808\r\nAuthorization: Bearer " + testToken + "\r\n" + v.headers[0] + "\r\n\r\n"
		if _, err := conn.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
		h.change(open("A", "https://a.test/"), navigated("A", 1, "https://a.test/"))
		for i := range 1000 {
			h.change(tools("A", 1, []string{"x", "y"}[i%2]))
		}
		if got := other.stream.take(); len(got) == 0 || len(got) > 1000 {
			t.Errorf("%d notifications", len(got))
		}
		h.sessions.each(func(sess *session) {
			if n := sess.client.Conn.Holds().Waiting; n > 1 {
				t.Errorf("%d messages wait for %s", n, sess.client.ID)
			}
		})
		if got := v.call("webmcp_a_test_page0_y", "{}"); got != "A/y {}" {
			t.Error(got)
		}
		<-time.After(writeLimit)
		synctest.Wait()
		var rest [4096]byte
		if n, err := conn.Read(rest[:]); err == nil && strings.Contains(string(rest[:n]), "event:") {
			t.Errorf("the stream was not given up: %q", rest[:n])
		}
	})
}

// A call goes on when its connection breaks, so its session is in use: neither
// does another session take its place, nor does it end for not being used.
func TestHTTPSessionIsInUseWhileItsCallRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHub(t, func(context.Context, calls.Call) registry.Result {
			<-release
			return sanitize.TextResult("done")
		}, func(o *Options, _ *registry.Options) { o.CallTimeout = -1 })
		h.page("A", "https://a.test/", "slow")
		w, _ := h.onPipes(t, func(o *HTTPOptions) { o.MaxSessions = 1 })
		v := w.begin()
		call := w.listenLater("POST", callLine("1", "webmcp_a_test_page0_slow", "{}"), v.headers...)
		fakeclock.Elapse(primeAfter)
		stream := <-call
		stream.take()
		stream.hangUp()
		synctest.Wait()
		if got := w.send("POST", initialize).rpc(); !strings.HasPrefix(got, "503 -32000 the server has 1 sessions, all in use") {
			t.Errorf("another session is begun: %s", got)
		}
		fakeclock.Elapse(defaultIdleAfter + time.Minute)
		close(release)
		synctest.Wait()
		s := w.listen("GET", "", append(v.headers, "Last-Event-ID: "+stream.lastID)...)
		<-s.over
		if got := s.take(); len(got) != 1 || said(t, got[0]) != "done" {
			t.Errorf("the answer is %q", got)
		}
		fakeclock.Elapse(defaultIdleAfter + time.Second)
		if a := v.send(ping); a.status != 404 {
			t.Errorf("a session that nobody uses any more has not ended: %+v", a)
		}
	})
}

func TestHTTPSessionLimitAndEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		w, _ := h.onPipes(t, func(o *HTTPOptions) { o.MaxSessions = 2 })
		one := w.begin()
		<-time.After(time.Second)
		two := w.begin()
		first, second := one.listen(), two.listen()
		a := w.send("POST", initialize)
		if got := a.rpc(); !strings.HasPrefix(got, "503 -32000 the server has 2 sessions, all in use, which is its limit") || a.header.Get("Retry-After") == "" {
			t.Errorf("%s %v", got, a.header)
		}
		if a := w.send("DELETE", "", one.headers...); a.status != 204 {
			t.Errorf("%+v", a)
		}
		if got := one.send(ping).rpc(); !strings.HasPrefix(got, "404 -32000 there is no such session") {
			t.Error(got)
		}
		first.hangUp()
		second.hangUp()

		// Of those that nobody uses, the one that was so for longest makes room:
		// many clients leave without a word.
		one = w.begin()
		<-time.After(unusedAfter)
		if a := two.send(ping); a.body != pong {
			t.Errorf("%+v", a)
		}
		three := w.begin()
		if got := one.send(ping).rpc(); !strings.HasPrefix(got, "404 -32000 there is no such session") {
			t.Error(got)
		}
		if a := two.send(ping); a.body != pong {
			t.Errorf("%+v", a)
		}
		stream := three.listen()

		// Unused sessions end; a stream or a call is use.
		<-time.After(defaultIdleAfter - time.Second)
		if a := two.send(ping); a.body != pong {
			t.Errorf("%+v", a)
		}
		<-time.After(defaultIdleAfter - time.Second)
		if a := two.send(ping); a.body != pong {
			t.Errorf("%+v", a)
		}
		<-time.After(defaultIdleAfter + time.Second)
		if a := two.send(ping); a.status != 404 {
			t.Errorf("%+v", a)
		}
		if a := three.send(ping); a.body != pong {
			t.Errorf("%+v", a)
		}
		stream.hangUp()
		<-time.After(defaultIdleAfter + time.Second)
		if a := three.send(ping); a.status != 404 {
			t.Errorf("%+v", a)
		}
		h.sessions.mu.Lock()
		if len(h.sessions.all) != 0 {
			t.Errorf("left: %v", h.sessions.all)
		}
		h.sessions.mu.Unlock()
	})
}

// A call in flight ends when its client cancels it or ends the session, and when
// the hub stops; not when its connection breaks.
func TestHTTPCallsEnd(t *testing.T) {
	for name, end := range map[string]func(w *web, v *visitor, hangUp func()){
		"cancelled": func(_ *web, v *visitor, _ func()) {
			v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		},
		"disconnected":  func(_ *web, _ *visitor, hangUp func()) { hangUp() },
		"session ended": func(w *web, v *visitor, _ func()) { w.send("DELETE", "", v.headers...) },
		"hub stopped":   func(w *web, _ *visitor, _ func()) { w.stop(errors.New("stopping")) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				causes := make(chan error, 1)
				h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return sanitize.TextResult("ended")
				})
				h.page("A", "https://a.test/", "x")
				w, _ := h.onPipes(t)
				v := w.visit()
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				answered := make(chan string, 1)
				go func() {
					resp, err := v.do(ctx, "POST", callLine("1", "webmcp_a_test_page0_x", "{}"), v.headers...)
					if err != nil {
						answered <- "gone"
						return
					}
					defer resp.Body.Close()
					r := &eventReader{t: t}
					if resp.Header.Get("Content-Type") == "text/event-stream" {
						r.read(resp.Body)
						answered <- strings.Join(r.events, " ")
						return
					}
					var body [1024]byte
					n, _ := resp.Body.Read(body[:])
					answered <- said(t, string(body[:n]))
				}()
				synctest.Wait()
				end(w, v, hangUp)
				want, answer := wire.ErrSessionOver, "ended"
				switch name {
				case "cancelled":
					want, answer = wire.ErrCancelled, ""
				case "disconnected":
					want, answer = wire.TimeoutError{After: DefaultCallTimeout}, "gone"
				case "hub stopped":
					want = nil
				}
				if cause := <-causes; want != nil && cause != want || want == nil && cause.Error() != "stopping" {
					t.Errorf("the call ended by %v", cause)
				}
				if got := <-answered; got != answer {
					t.Errorf("answered %q", got)
				}
			})
		})
	}
}

// Progress goes out on the response to the call that it is about.
func TestHTTPProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			<-time.After(wire.Heartbeat + time.Second)
			if c.Progress != nil {
				c.Progress([]byte(`{"progress":10,"message":"half"}`))
			}
			<-time.After(time.Second)
			return sanitize.TextResult("done")
		})
		h.page("A", "https://a.test/", "x")
		w, _ := h.onPipes(t)
		v := w.visit()
		line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_x","_meta":{"progressToken":"t"}}}`
		stream := w.listen("POST", line, v.headers...)
		<-stream.over
		stream.expect(
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0,"message":"waiting for x on a.test (5s)"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":10,"message":"half"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
		v.stream.expect()
		// Who can't take a stream is spared it.
		a := w.send("POST", line, append(v.headers, "Accept: application/json")...)
		if a.header.Get("Content-Type") != "application/json" || said(t, a.body) != "done" {
			t.Errorf("%+v", a)
		}
	})
}

// Clients that come at the same time don't take each other's sessions: those above the limit are told when to try again.
func TestHTTPManyAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := newHub(t, echo).onPipes(t, func(o *HTTPOptions) { o.MaxSessions = 2 })
		first, second := w.begin(), w.begin()
		if a := w.send("POST", initialize); a.status != 503 || a.header.Get("Retry-After") != "60" {
			t.Errorf("the third got %+v", a)
		}
		for _, v := range []*visitor{first, second} {
			if a := v.send(ping); a.status != 200 {
				t.Errorf("an earlier one got %+v", a)
			}
		}
		<-time.After(unusedAfter)
		w.begin()
	})
}
