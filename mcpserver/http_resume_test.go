package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

// tellingHub is a hub whose tool makes progress by tell, which returns when the
// hub has it, and ends with steps.
func tellingHub(t *testing.T) (h *hub, tell func(step string), steps chan string, ended chan error) {
	steps, ended = make(chan string), make(chan error, 1)
	told := make(chan struct{}, 1)
	h = newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
		n := 0
		for {
			select {
			case s, more := <-steps:
				if !more {
					ended <- nil
					return sanitize.TextResult("done")
				}
				n++
				c.Progress(fmt.Appendf(nil, `{"progress":%d,"message":%q}`, n, s))
				told <- struct{}{}
			case <-ctx.Done():
				ended <- context.Cause(ctx)
				return sanitize.TextResult("ended")
			}
		}
	})
	h.page("A", "https://a.test/", "x")
	tell = func(step string) {
		steps <- step
		<-told
	}
	return h, tell, steps, ended
}

const slowCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_x","_meta":{"progressToken":"t"}}}`

func progressed(n int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":%d,"message":%q}}`, n, message)
}

const slowAnswer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`

// A call goes on when its connection breaks, and its client gets what it missed
// when it comes back with the last event's id: none of it twice.
func TestHTTPResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, tell, steps, ended := tellingHub(t)
		w, _ := h.onPipes(t)
		v := w.visit()
		back := func(id string) *eventReader {
			t.Helper()
			s := w.listen("GET", "", append(v.headers, "Last-Event-ID: "+id)...)
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.lastID == "" {
				s.lastID = id
			}
			return s
		}
		first := w.listenLater("POST", slowCall, v.headers...)
		fakeclock.Elapse(primeAfter)
		s := <-first
		s.expect() // nothing but an id
		prime := s.lastID
		if prime == "" {
			t.Fatal("the stream has no id to come back with")
		}
		tell("one")
		s.expect(progressed(1, "one"))
		s.hangUp()
		tell("two")
		tell("three")
		fakeclock.Elapse(bodyLimit + time.Second) // the connection may last
		tell("four")
		s = back(s.lastID)
		s.expect(progressed(4, "four")) // of progress the newest counts
		tell("five")
		s.expect(progressed(5, "five"))
		v.stream.expect() // that is another stream
		older := s
		s = back(s.lastID) // while the old connection only seems to be there
		<-older.over
		s.hangUp()
		close(steps)
		if cause := <-ended; cause != nil {
			t.Errorf("the call ended by %v", cause)
		}
		s = back(s.lastID)
		<-s.over
		s.expect(slowAnswer)
		last := s.lastID

		s = back(prime) // the answer may have been lost on its way
		<-s.over
		s.expect(progressed(5, "five"), slowAnswer)
		s = back(last)
		<-s.over
		s.expect()

		for _, id := range []string{"call-7-1", "call-x-1", "call-1", "call--1-0", "call-0-0"} {
			if got := w.send("GET", "", append(v.headers, "Last-Event-ID: "+id)...).rpc(); !strings.HasPrefix(got, "400 -32600 nothing is left of the stream") {
				t.Errorf("%s: %s", id, got)
			}
		}
		other := w.begin()
		if got := w.send("GET", "", append(other.headers, "Last-Event-ID: "+prime)...).status; got != 400 {
			t.Errorf("another client is answered by %d", got)
		}
		fakeclock.Elapse(wire.KeptFor)
		if got := w.send("GET", "", append(v.headers, "Last-Event-ID: "+prime)...).status; got != 400 {
			t.Errorf("an answer that is too old is answered by %d", got)
		}
		v.stream.expect()
		h.sessions.each(func(s *session) {
			if holds := s.client.Conn.Holds(); holds.Kept+holds.Handing+holds.InFlight != 0 {
				t.Errorf("left: %+v", holds)
			}
		})
	})
}

// Clients before 2025-11-25 take an event without data for a broken message: they
// get ids with what there is to say.
func TestHTTPResumeOfOlderClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, tell, steps, ended := tellingHub(t)
		w, _ := h.onPipes(t)
		v := w.visit()
		v.headers[1] = "Mcp-Protocol-Version: 2025-06-18"
		first := w.listenLater("POST", slowCall, v.headers...)
		fakeclock.Elapse(primeAfter + time.Second)
		tell("one")
		s := <-first
		s.expect(progressed(1, "one"))
		s.hangUp()
		close(steps)
		if cause := <-ended; cause != nil {
			t.Errorf("the call ended by %v", cause)
		}
		s = w.listen("GET", "", append(v.headers, "Last-Event-ID: "+s.lastID)...)
		<-s.over
		s.expect(slowAnswer)
	})
}

// A client that doesn't come back costs a bounded amount, and one that cancels or
// ends its session nothing.
func TestHTTPResumeIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return sanitize.TextResult(strings.Repeat("x", wire.KeptBytes/8))
		})
		h.page("A", "https://a.test/", "x")
		w, _ := h.onPipes(t)
		v := w.begin()
		var streams []*eventReader
		for i := range wire.KeptStreams + 8 {
			first := w.listenLater("POST", strings.Replace(slowCall, `"id":1`, fmt.Sprintf(`"id":%d`, i), 1), v.headers...)
			fakeclock.Elapse(primeAfter)
			s := <-first
			s.expect()
			s.hangUp()
			streams = append(streams, s)
			if i < 5 {
				v.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
			}
		}
		close(release)
		synctest.Wait()
		h.sessions.each(func(s *session) {
			if holds := s.client.Conn.Holds(); holds.Kept > wire.KeptStreams || holds.KeptBytes > 2*wire.KeptBytes || holds.Handing != 0 || holds.InFlight != 0 {
				t.Errorf("the session holds %+v", holds)
			}
		})
		last := streams[len(streams)-1]
		s := w.listen("GET", "", append(v.headers, "Last-Event-ID: "+last.lastID)...)
		<-s.over
		if got := s.take(); len(got) != 1 {
			t.Errorf("of the newest %d events came", len(got))
		}
		if got := w.send("GET", "", append(v.headers, "Last-Event-ID: "+streams[0].lastID)...).status; got != 400 {
			t.Errorf("a cancelled one is answered by %d", got)
		}
	})
}

// list_changed doesn't wait for a client that has gone, and what it didn't read it
// hasn't seen.
func TestHTTPAnAnswerNobodyRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		w, _ := h.onPipes(t)
		v := w.visit()
		v.list()
		goOn := make(chan struct{})
		b.activating = func(context.Context, registry.PageID) { <-goOn }
		first := w.listenLater("POST", callLine("1", "focus_tab", `{"tabId":1}`), v.headers...)
		fakeclock.Elapse(primeAfter)
		s := <-first
		s.expect()
		s.hangUp()
		h.change(tools("A", 1, "other"))
		v.stream.expect(listChanged)
		close(goOn)
		synctest.Wait()
		s = w.listen("GET", "", append(v.headers, "Last-Event-ID: "+s.lastID)...)
		<-s.over
		if got := s.take(); len(got) != 1 || !strings.Contains(got[0], `webmcp_a_test_page0_other`) {
			t.Errorf("got %q", got)
		}
	})
}

// Who may not speak can't have the hub wait for a body.
func TestHTTPRefusedBodyIsNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		_, p := h.onPipes(t)
		for _, token := range []string{"wrong", testToken} {
			conn, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			go func() {
				_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8808\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", token)
			}()
			all, _ := io.ReadAll(conn) // until it is closed
			took := time.Since(began)
			conn.Close()
			status, limit := "401", refusedLimit
			if token == testToken {
				status, limit = "400", bodyLimit+refusedLimit
			}
			if !strings.HasPrefix(string(all), "HTTP/1.1 "+status) || took > limit+time.Second {
				t.Errorf("answered after %v by %q", took, all)
			}
		}
	})
}

// Connections are bounded, and those that say nothing end.
func TestHTTPConnectionsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		w, p := h.onPipes(t)
		for range maxConnections {
			conn, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if resp, err := w.do(ctx, http.MethodPost, initialize); err == nil {
			resp.Body.Close()
			t.Error("one connection more was served")
		}
		<-time.After(headerLimit)
		w.begin()
	})
}
