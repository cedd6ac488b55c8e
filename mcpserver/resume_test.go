package mcpserver

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// resumed connects a client that stood there with another server; last gives where it is said to stand now.
func (h *hub) resumed(at view.Place) (c *rawClient, last func() view.Place) {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	c = &rawClient{t: h.t, hub: h, in: in, out: out, cancel: cancel, served: make(chan error, 1)}
	told := make(chan view.Place, 100)
	go func() {
		err := h.ServeGuest(ctx, view.Guest{Place: at, Moved: func(at view.Place) { told <- at }}, serverIn, serverOut)
		serverIn.Close()
		serverOut.Close()
		c.served <- err
	}()
	go c.read()
	h.t.Cleanup(func() {
		cancel(nil)
		in.Close()
		out.Close()
	})
	return c, func() (last view.Place) {
		synctest.Wait()
		for len(told) > 0 {
			last = <-told
		}
		return last
	}
}

// TestResumeBeforeTheBrowserIsThere: a client that comes before its browser gets its place back with the browser.
func TestResumeBeforeTheBrowserIsThere(t *testing.T) {
	stood := view.Place{Connected: true, Page: "B", Exclusive: true}
	for _, mode := range []view.Mode{view.AllTabs, view.FocusedTab} {
		setup := func(t *testing.T) (h *hub, c *rawClient, last func() view.Place) {
			b := &tabBrowser{}
			h = newHub(t, echo, func(o *Options, _ *registry.Options) { o.Mode, o.Browser = mode, b })
			b.h = h
			h.change(registry.BrowserChanged{Status: "it is being reached"})
			c, last = h.resumed(stood)
			c.handshake()
			h.page("A", "https://a.test/", "add")
			if got := last(); got != (view.Place{}) && got != stood {
				t.Errorf("it is said to stand at %+v", got)
			}
			return h, c, last
		}
		t.Run(string(mode), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, c, last := setup(t)
				h.change(registry.BrowserChanged{})
				if got := last(); got != (view.Place{}) && got != stood {
					t.Errorf("before its page is there it is said to stand at %+v", got)
				}
				h.page("B", "https://b.test/", "search")
				if got := last(); got != (view.Place{}) && got != stood {
					t.Errorf("it is said to stand at %+v", got)
				}
				fakeclock.Elapse(time.Hour)
				c.take()
				other := h.connect(true)
				other.handshake()
				if mode == view.FocusedTab {
					other.send(callLine("1", "connect_browser", `{}`))
					other.take()
				}
				other.send(callLine("2", "focus_tab", `{"tabId":2,"exclusive":true}`))
				if got := strings.Join(other.take(), ""); !strings.Contains(got, "kept by another client, ") {
					t.Errorf("the tab is given to another: %s", got)
				}
				if mode == view.FocusedTab {
					if got := c.call("search", `{}`); got != `B/search {}` {
						t.Error(got)
					}
				}
			})
		})
		t.Run(string(mode)+", the page never comes", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, _, last := setup(t)
				h.change(registry.BrowserChanged{})
				fakeclock.Elapse(view.ResumesWithin + time.Second)
				h.page("C", "https://c.test/", "x")
				if got := last(); got != (view.Place{Connected: true}) {
					t.Errorf("it is said to stand at %+v", got)
				}
				h.page("B", "https://b.test/", "search")
				if got := last(); got.Page != "" {
					t.Errorf("it is said to stand at %+v", got)
				}
			})
		})
	}
}

// TestKeptTabsAreHeld: nobody takes or calls a tab that a client of the server before has to itself until that client
// has come, or for too long.
func TestKeptTabsAreHeld(t *testing.T) {
	const held = "has not come back yet"
	call := func(c *rawClient) string {
		c.send(callLine("1", "call_webmcp_tool", `{"name":"webmcp_b_test_page1_search"}`))
		return strings.Join(c.take(), "")
	}
	take := func(c *rawClient) string {
		c.send(callLine("1", "focus_tab", `{"tabId":2,"exclusive":true}`))
		return strings.Join(c.take(), "")
	}
	setup := func(t *testing.T) (*hub, *rawClient) {
		h, _ := newTabHub(t, view.AllTabs)
		h.HoldTabs([]registry.PageID{"B"})
		other := h.connect(true)
		other.handshake()
		for _, got := range []string{call(other), take(other)} {
			if !strings.Contains(got, held) {
				t.Errorf("got %s", got)
			}
		}
		return h, other
	}
	for name, comes := range map[string]bool{"its client comes": true, "its client doesn't": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, other := setup(t)
				if comes {
					holder, _ := h.resumed(view.Place{Connected: true, Page: "B", Exclusive: true})
					holder.handshake()
					if got := call(holder); !strings.Contains(got, "B/search") {
						t.Errorf("the holder's call: %s", got)
					}
				}
				fakeclock.Elapse(view.ResumesWithin + time.Second)
				got := call(other)
				if comes && !strings.Contains(got, "kept by another client, ") || !comes && !strings.Contains(got, "B/search") {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}
