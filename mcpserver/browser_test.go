package mcpserver

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// newAwaitedHub is a hub whose browser is still being reached.
func newAwaitedHub(t *testing.T, set ...func(*Options, *registry.Options)) (*hub, *tabBrowser) {
	b := &tabBrowser{reached: make(chan error), sites: map[string][]string{"https://c.test/": {"see"}}}
	h := newHub(t, echo, append(set, func(o *Options, _ *registry.Options) { o.Browser = b })...)
	b.h = h
	return h, b
}

// browserCalls are those that need the browser, and the beginnings of their answers once
// it is there with the page A.
var browserCalls = []struct{ tool, args, want string }{
	{"open_tab", `{"url":"https://c.test/"}`, `{"tab":{"id":2,`},
	{"list_tabs", `{}`, `{"tabs":[{"id":1,`},
	{"focus_tab", `{"tabId":1}`, `{"success":true,`},
	{"connect_webmcp", `{}`, `{"connected":true,"pages":[{"page":0,`},
	{"list_webmcp_tools", `{}`, `{"pages":[{"page":0,`},
	{"call_webmcp_tool", `{"name":"add"}`, `A/add {}`},
	{"webmcp_a_test_page0_add", `{}`, `A/add {}`},
}

// A call that comes before the browser waits for it, and says so.
func TestCallsWaitForTheBrowser(t *testing.T) {
	for _, call := range browserCalls {
		t.Run(call.tool, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, b := newAwaitedHub(t)
				c := h.connect(true)
				c.handshake()
				c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + call.tool + `","arguments":` + call.args + `,"_meta":{"progressToken":7}}}`)
				beat := func(params string) string {
					return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,` + params + `}}`
				}
				c.expect(beat(`"progress":0,"message":"waiting for the browser"`))
				fakeclock.Elapse(wire.Heartbeat)
				c.expect(beat(`"progress":0.000001,"message":"waiting for the browser (5s)"`))
				h.page("A", "https://a.test/")
				b.reached <- nil
				synctest.Wait()
				h.change(tools("A", 1, "add")) // a page takes a moment
				fakeclock.Elapse(calls.ToolsAppear)
				lines := c.take()
				lines = slices.DeleteFunc(lines, func(l string) bool { return l == listChanged || strings.Contains(l, "notifications/progress") })
				if len(lines) != 1 || !strings.HasPrefix(said(t, lines[0]), call.want) {
					t.Errorf("answered by %q", lines)
				}
				if b.asked != 1 {
					t.Errorf("the browser was asked for %d times", b.asked)
				}
				c.hangUp()
			})
		})
	}
}

// Of a browser that isn't reached the answer says why, and advises nothing that
// the client can't do.
func TestCallsWithoutABrowser(t *testing.T) {
	for _, test := range []struct {
		name  string
		reach func(b *tabBrowser)
		want  string
	}{
		{"in time", func(*tabBrowser) { fakeclock.Elapse(calls.BrowserWait) }, "the browser was not reached in time (the time limit of 30s is over)"},
		{"at all", func(b *tabBrowser) { b.reached <- errors.New("no Chrome listens at port 9222; start one there") }, "no Chrome listens at port 9222; start one there"},
	} {
		for _, call := range browserCalls {
			if call.tool == "list_webmcp_tools" || strings.Contains(call.args+call.tool, "add") {
				continue // those say what the catalog says
			}
			t.Run(test.name+" "+call.tool, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h, b := newAwaitedHub(t)
					c := h.connect(true)
					c.handshake()
					c.send(callLine("1", call.tool, call.args))
					synctest.Wait()
					test.reach(b)
					lines := c.take()
					if want := "error: " + call.tool + " can't be called now: " + test.want + "."; len(lines) != 1 || said(t, lines[0]) != want {
						t.Errorf("got  %q\nwant %s", lines, want)
					}
					c.hangUp()
				})
			})
		}
	}
}

// Where browsers are reached on request, calls don't ask for one; connect_browser
// does, and the client has that.
func TestCallsBeforeConnectBrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newAwaitedHub(t, func(o *Options, _ *registry.Options) { o.OnRequest = true })
		c := h.connect(true)
		c.handshake()
		if !slices.Contains(c.list(), "connect_browser") {
			t.Error("there is no connect_browser")
		}
		h.change(registry.BrowserChanged{Status: "no browser is connected"})
		for _, call := range browserCalls[:4] {
			if got, want := c.call(call.tool, call.args), "error: "+call.tool+" can't be called now: no browser is connected. Call connect_browser first."; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		if b.asked != 0 {
			t.Error("the browser was asked for")
		}
		c.hangUp()
	})
}

// A prompt's or a resource's page is waited for, too.
func TestOffersWaitForTheBrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &tabBrowser{reached: make(chan error)}
		h := newOfferHub(t, func(o *Options, _ *registry.Options) { o.Browser = b })
		b.h = h.hub
		c := h.connect(true)
		c.handshake()
		c.send(ask("1", "resources/read", `{"uri":"`+note0+`"}`))
		fakeclock.Elapse(time.Second)
		c.expect()
		h.page("A", "https://a.test/", "note://1")
		b.reached <- nil
		lines := slices.DeleteFunc(c.take(), func(l string) bool { return strings.Contains(l, "list_changed") })
		if len(lines) != 1 || !strings.Contains(lines[0], `"text":"read"`) {
			t.Errorf("got %q", lines)
		}
		c.hangUp()
	})
}

// A tab that shows the browser's error page is no success.
func TestOpenTabThatDoesNotLoad(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		b.goesTo = "chrome-error://chromewebdata/"
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "open_tab", `{"url":"https://down.test/"}`))
		fakeclock.Elapse(calls.ToolsAppear)
		if got, want := c.answer(), "error: Tab 3 was opened, but https://down.test/ did not load: it shows the browser's error page, and stays open. Check the address, or try again."; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		c.hangUp()
	})
}

// TestAToolOfABrowserJustReached may be one of a page that is still loading, as
// after another hub has taken over: the refusal says so.
func TestAToolOfABrowserJustReached(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.change(registry.BrowserChanged{Status: "not yet"})
		c := h.connect(true)
		c.handshake()
		h.change(registry.BrowserChanged{})
		if got := c.call("webmcp_a_test_page0_pay", `{}`); !strings.Contains(got, "no tool is called webmcp_a_test_page0_pay") || !strings.Contains(got, "try again in a moment") {
			t.Errorf("answered by %s", got)
		}
		fakeclock.Elapse(calls.JustReached)
		if got := c.call("webmcp_a_test_page0_pay", `{}`); !strings.Contains(got, "no tool is called") || strings.Contains(got, "try again") {
			t.Errorf("later answered by %s", got)
		}
		c.hangUp()
	})
}

// The browser's own code is waited for, where the tab is not focused too: as long as tools would be, and as long again
// where the browser shows its error page already.
func TestOpenTabSaysWhyItDidNotLoad(t *testing.T) {
	for _, focus := range []string{"true", "false"} {
		bubble(t, func(t *testing.T) {
			h, b := newTabHub(t, view.AllTabs)
			b.arrives = func(page registry.PageID) {
				h.change(registry.PageChanged{Page: page, State: registry.NotLoaded("")})
			}
			c := h.connect(true)
			c.handshake()
			begun := time.Now()
			c.send(callLine("1", "open_tab", `{"url":"https://down.test/","focus":`+focus+`}`))
			fakeclock.Elapse(calls.ToolsAppear/2 - time.Millisecond)
			c.wantSilence()
			h.change(registry.PageChanged{Page: "new1", State: registry.NotLoaded("net::ERR_CONNECTION_REFUSED"), Arrived: true})
			fakeclock.Elapse(calls.ToolsQuiet)
			if got, want := c.answer(), "error: Tab 3 was opened, but https://down.test/ did not load (net::ERR_CONNECTION_REFUSED): it shows the browser's error page, and stays open. Check the address, or try again."; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if took := time.Since(begun); took > calls.ToolsAppear/2+calls.ToolsQuiet {
				t.Errorf("it took %v", took)
			}
			if got := c.call("list_tabs", `{}`); !strings.Contains(got, `"state":"did not load (net::ERR_CONNECTION_REFUSED)"`) {
				t.Error(got)
			}

			b.arrives = func(page registry.PageID) { // the error page is slow
				h.change(registry.PageChanged{Page: page, State: registry.NotLoaded("")})
			}
			c.send(callLine("9", "open_tab", `{"url":"https://down.test/","focus":`+focus+`}`))
			fakeclock.Elapse(calls.ToolsAppear + time.Millisecond)
			c.wantSilence()
			h.change(registry.PageChanged{Page: "new2", State: registry.NotLoaded("net::ERR_FAILED"), Arrived: true})
			if got := c.answer(); !strings.Contains(got, "did not load (net::ERR_FAILED)") {
				t.Error(got)
			}

			b.arrives = func(registry.PageID) {} // a server that doesn't answer
			c.send(callLine("2", "open_tab", `{"url":"https://slow.test/","focus":`+focus+`}`))
			fakeclock.Elapse(calls.ToolsAppear)
			if got := c.answer(); strings.HasPrefix(got, "error") || !strings.Contains(got, `"toolsAvailable":[],"state":"is still loading, `) {
				t.Error(got)
			}
			h.change(registry.PageChanged{Page: "new3", State: registry.NotLoaded("net::ERR_TIMED_OUT"), Arrived: true})
			if got := c.call("list_tabs", `{}`); !strings.Contains(got, `"state":"did not load (net::ERR_TIMED_OUT)"`) {
				t.Error(got)
			}

			b.arrives = nil // a page that is there has nothing to say of that
			c.send(callLine("3", "open_tab", `{"url":"https://there.test/","focus":`+focus+`}`))
			fakeclock.Elapse(calls.ToolsAppear)
			if got := c.answer(); strings.Contains(got, `"state"`) {
				t.Error(got)
			}
			c.hangUp()
		})
	}
}
