package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

func TestNothingBeforeInitialized(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		h.page("A", "https://a.test/", "one")
		h.page("B", "https://b.test/", "two")
		c.expect()
		c.send(initialize)
		c.expect(`{"jsonrpc":"2.0","id":"init","result":{…`)
		h.page("C", "https://c.test/", "three")
		c.expect()
		c.send(ping)
		c.expect(pong)
		c.send(initialized)
		c.expect(listChanged) // one for all
		c.hangUp()
	})
}

func TestClientThatNeverSaysInitialized(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		c.send(initialize)
		c.take()
		h.page("A", "https://a.test/", "one")
		c.expect()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`)
		synctest.Wait()
		if got := c.take(); len(got) != 2 {
			t.Errorf("got %q", got)
		}
		c.hangUp()
	})
}

func TestOneNotificationPerChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		one, two := h.connect(true), h.connect(true)
		one.handshake()
		two.handshake()
		for i := range 5 {
			h.change(open(fmt.Sprint("P", i), "https://a.test/"), navigated(fmt.Sprint("P", i), 1, "https://a.test/"), tools(fmt.Sprint("P", i), 1, "x"))
			one.expect(listChanged)
			two.expect(listChanged)
		}
		h.change(registry.PageChanged{Page: "P0", URL: "https://a.test/#x", Title: "new"})
		one.expect() // the list is the same
		one.hangUp()
		two.hangUp()
	})
}

func TestNoNotificationForAListThatWasRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		c.send(initialize)
		c.take()
		h.page("A", "https://a.test/", "one")
		c.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`, initialized)
		lines := c.take()
		// Whether the notice or the list leaves first is open; a list that
		// left first makes the notice superfluous.
		if len(lines) == 1 && lines[0] == listChanged || len(lines) == 2 && lines[1] == listChanged {
			t.Errorf("got %q", lines)
		}
		c.hangUp()
	})
}

// blocked is a Caller whose calls end when told.
type blocked struct{ end chan string }

func (b blocked) call(ctx context.Context, c calls.Call) registry.Result {
	select {
	case text := <-b.end:
		return sanitize.TextResult(text)
	case <-ctx.Done():
		return sanitize.ErrorResult("cancelled")
	}
}

func TestTheResultFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := blocked{make(chan string)}
		h := newHub(t, b.call)
		h.page("A", "https://a.test/", "add")
		h.page("B", "https://b.test/", "other")
		c, idle := h.connect(true), h.connect(true)
		c.handshake()
		idle.handshake()
		c.expect()
		c.list()
		idle.list()

		c.send(callLine("1", "webmcp_a_test_page0_add", `{}`))
		synctest.Wait()
		h.change(tools("A", 1, "add", "checkout"))
		idle.expect(listChanged) // has no call there
		c.expect()
		if got := c.list(); len(got) != len(ownTools)+3 {
			t.Errorf("the new list is not readable at once: %v", got)
		}
		h.change(tools("A", 1, "add", "checkout", "pay"))
		c.expect()
		fakeclock.Elapse(4 * time.Second)
		b.end <- "added"
		c.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"added"}]}}`, listChanged)
		c.hangUp()
		idle.hangUp()
	})
}

func TestTheResultFirstHasALimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := blocked{make(chan string)}
		h := newHub(t, b.call)
		h.page("A", "https://a.test/", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(callLine("1", "webmcp_a_test_page0_add", `{}`))
		synctest.Wait()
		start := time.Now()
		for i := range 4 { // later changes don't put it off
			h.change(tools("A", 1, "add", fmt.Sprint("t", i)))
			c.expect()
			fakeclock.Elapse(time.Second)
		}
		fakeclock.Elapse(wire.ResultFirst - time.Since(start) - 1)
		c.expect()
		fakeclock.Elapse(time.Nanosecond)
		c.expect(listChanged)
		b.end <- "done"
		c.expect(`{"jsonrpc":"2.0","id":1,"result":…`)
		fakeclock.Elapse(time.Minute)
		c.expect()
		c.hangUp()
	})
}

func TestOtherPagesDoNotWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := blocked{make(chan string)}
		h := newHub(t, b.call)
		h.page("A", "https://a.test/", "add")
		h.page("B", "https://b.test/", "other")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(callLine("1", "webmcp_a_test_page0_add", `{}`))
		synctest.Wait()
		h.change(tools("A", 1, "add", "more"))
		c.expect()
		h.change(tools("B", 1, "other", "more"))
		c.expect(listChanged)
		c.list() // which has A's change, too
		b.end <- "done"
		c.expect(`{"jsonrpc":"2.0","id":1,"result":…`)
		c.hangUp()
	})
}

func TestSeveralCallsAreWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := blocked{make(chan string)}
		h := newHub(t, b.call)
		h.page("A", "https://a.test/", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(callLine("1", "webmcp_a_test_page0_add", `{}`), callLine("2", "webmcp_a_test_page0_add", `{}`))
		synctest.Wait()
		h.change(tools("A", 1, "add", "more"))
		b.end <- "done"
		if got := c.take(); len(got) != 1 || got[0] == listChanged {
			t.Errorf("got %q", got)
		}
		for _, id := range []int{1, 2} { // one of them is cancelled, the other is over
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		}
		c.expect(listChanged)
		c.hangUp()
	})
}

func TestSessionThatEndsWhileANoticeWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, waitForEnd)
		h.page("A", "https://a.test/", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(callLine("1", "webmcp_a_test_page0_add", `{}`))
		synctest.Wait()
		h.change(tools("A", 1, "add", "more"))
		c.hangUp()
		h.change(tools("A", 1, "add"))
		fakeclock.Elapse(time.Minute)
	})
}

func TestProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := blocked{make(chan string)}
		say := make(chan string)
		t.Cleanup(func() { close(say) })
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			go func() {
				for s := range say {
					c.Progress([]byte(s))
				}
			}()
			return b.call(ctx, c)
		})
		h.page("A", "http://localhost:3000/", "slow")
		c := h.connect(true)
		c.handshake()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_localhost_3000_page0_slow","_meta":{"progressToken":"tok"}}}`)
		c.expect()
		beat := func(params string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok",` + params + `}}`
		}
		fakeclock.Elapse(wire.Heartbeat)
		c.expect(beat(`"progress":0,"message":"waiting for slow on localhost:3000 (5s)"`))
		fakeclock.Elapse(wire.Heartbeat)
		c.expect(beat(`"progress":0.000001,"message":"waiting for slow on localhost:3000 (10s)"`))
		fakeclock.Elapse(3 * time.Second)
		say <- `{"progressToken":99,"progress":50,"total":100,"message":"half"}`
		c.expect(beat(`"progress":50,"total":100,"message":"half"`))
		say <- `{"progressToken":99,"progress":20,"total":100}`
		c.expect(beat(`"progress":50.000001,"total":100`))
		say <- `garbage`
		fakeclock.Elapse(wire.Heartbeat - 1)
		c.expect()
		fakeclock.Elapse(time.Nanosecond)
		c.expect(beat(`"progress":50.000002,"total":100,"message":"waiting for slow on localhost:3000 (18s)"`))
		b.end <- "done"
		c.expect(`{"jsonrpc":"2.0","id":1,"result":…`)
		say <- `{"progress":90}`
		fakeclock.Elapse(time.Minute)
		c.expect()
		c.hangUp()
	})
}

// The page counts, and the heartbeat doesn't count with it.
func TestThePagesProgressStaysItsOwn(t *testing.T) {
	for _, c := range []struct {
		name       string
		said, want []string // "" is a heartbeat
	}{
		{"from nothing", []string{`{"progress":0,"total":10}`, `{"progress":1,"total":10}`}, []string{`"progress":0,"total":10`, `"progress":1,"total":10`}},
		{"after a heartbeat", []string{"", `{"progress":1,"total":10}`, "", "", `{"progress":2,"total":10}`},
			[]string{`"progress":0`, `"progress":1,"total":10`, `"progress":1.000001,"total":10`, `"progress":1.000002,"total":10`, `"progress":2,"total":10`}},
		{"a fraction", []string{"", `{"progress":0.25}`, "", `{"progress":0.5}`}, []string{`"progress":0`, `"progress":0.25`, `"progress":0.250001`, `"progress":0.5`}},
		{"none at first", []string{"", `{"progress":0,"total":3}`, `{"progress":1,"total":3}`}, []string{`"progress":0`, `"progress":0.000001,"total":3`, `"progress":1,"total":3`}},
		{"bytes", []string{`{"progress":4e15,"total":8e15}`, "", `{"progress":4e15}`}, []string{`"progress":4000000000000000,"total":8000000000000000`, `"progress":4000000000000000.5,"total":8000000000000000`, `"progress":4000000000000001`}},
		{"beyond all", []string{`{"progress":1.7976931348623157e308}`, "", `{"progress":2}`}, []string{`"progress":1.7976931348623157e+308`}},
		{"more than all", []string{`{"progress":10,"total":10}`, "", `{"progress":-1,"total":10}`}, []string{`"progress":10,"total":10`, `"progress":10.000001`, `"progress":10.000002`}},
		{"below nothing", []string{`{"progress":-3}`, "", `{"progress":-2}`}, []string{`"progress":-3`, `"progress":-2.999999`, `"progress":-2`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, func(ctx context.Context, call calls.Call) registry.Result {
					for _, s := range c.said {
						if s == "" {
							<-time.After(wire.Heartbeat)
						} else {
							call.Progress([]byte(s))
						}
						synctest.Wait() // each is read before the next: of unread ones only the last counts
					}
					return echo(ctx, call)
				})
				h.page("A", "https://a.test/", "slow")
				client := h.connect(true)
				client.handshake()
				client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_slow","_meta":{"progressToken":7}}}`)
				fakeclock.Elapse(time.Minute)
				var got []string
				for _, l := range client.take() {
					if params, ok := strings.CutPrefix(l, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,`); ok {
						params, _, _ = strings.Cut(params, `,"message"`)
						got = append(got, strings.TrimRight(params, "}"))
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
				client.hangUp()
			})
		})
	}
}

func TestNoProgressWithoutToken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			if c.Progress != nil {
				t.Error("Progress is set")
			}
			return waitForEnd(ctx, c)
		})
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":{}}`} {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_slow","_meta":` + meta + `}}`)
			fakeclock.Elapse(30 * time.Second)
			c.expect()
			fakeclock.Elapse(30 * time.Second)
			c.expect(`{"jsonrpc":"2.0","id":1,"result":…`)
		}
		c.hangUp()
	})
}
