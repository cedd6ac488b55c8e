package mcpserver

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// lateBrowser is there once it has been asked for.
type lateBrowser struct {
	tabBrowser
	asked atomic.Int32
}

func (b *lateBrowser) Connect(context.Context, bool, ...string) (name, version string, err error) {
	if b.asked.Add(1) == 1 {
		b.h.change(registry.BrowserChanged{})
		b.h.page("A", "https://shop.test/a", "add")
	}
	return "Chrome", "1", nil
}

func newLateHub(t *testing.T, options ...func(*Options, *registry.Options)) (*hub, *lateBrowser) {
	b := &lateBrowser{}
	h := newHub(t, echo, append(options, func(o *Options, _ *registry.Options) { o.Browser, o.OnNeed = b, true })...)
	b.h = h
	h.change(registry.BrowserChanged{Status: "not started yet"})
	return h, b
}

// TestTheBrowserIsReachedWhenItIsNeeded, not by a client that only looks
// whether the hub works.
func TestTheBrowserIsReachedWhenItIsNeeded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newLateHub(t)
		asked := func(want int32) {
			t.Helper()
			synctest.Wait()
			if n := b.asked.Load(); n != want {
				t.Fatalf("the browser was asked for %d times, want %d", n, want)
			}
		}
		for range 3 { // a health check
			c := h.connect(true)
			c.handshake()
			c.list()
			fakeclock.Elapse(DefaultLaunchDelay - 1)
			c.hangUp()
		}
		fakeclock.Elapse(time.Hour)
		asked(0)
		// One that says no more than initialize doesn't count.
		silent := h.connect(true)
		silent.send(initialize)
		fakeclock.Elapse(time.Hour)
		asked(0)
		silent.hangUp()
		// Nor one in focus mode, whose agent connects.
		focus := h.connectAs(viewWith(func(v *view.Settings) { v.Mode = view.FocusedTab }), nil)
		focus.handshake()
		focus.call("list_tabs", `{}`)
		fakeclock.Elapse(time.Hour)
		asked(0)
		focus.hangUp()

		c := h.connect(true)
		c.handshake()
		c.list()
		fakeclock.Elapse(DefaultLaunchDelay)
		asked(1)
		if got := c.take(); len(got) != 1 || got[0] != listChanged {
			t.Errorf("told %q", got)
		}
		if got := c.call("webmcp_shop_test_page0_add", `{}`); got != "A/add {}" {
			t.Error(got)
		}
		asked(1)
		c.hangUp()
	})
	for name, before := range map[string]bool{"reached before the client came": true, "reached for the client": false} {
		t.Run("closed, "+name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, b := newLateHub(t)
				if before {
					_, _, _ = b.Connect(t.Context(), false)
					fakeclock.Elapse(time.Minute)
				}
				c := h.connect(true)
				c.handshake()
				c.send(callLine("1", "list_tabs", `{}`))
				synctest.Wait()
				h.change(registry.BrowserChanged{Status: "Chrome was closed"})
				fakeclock.Elapse(time.Hour)
				if n := b.asked.Load(); n != 1 {
					t.Errorf("a browser that its user has closed was asked for: %d", n)
				}
				c.send(callLine("2", "list_tabs", `{}`)) // which needs it
				synctest.Wait()
				if n := b.asked.Load(); n != 2 {
					t.Errorf("asked for %d times", n)
				}
				c.take()
				c.hangUp()
			})
		})
	}
	for name, line := range map[string]string{
		"list_webmcp_tools": callLine("1", "list_webmcp_tools", `{}`),
		"call_webmcp_tool":  callLine("1", "call_webmcp_tool", `{"name":"add"}`),
		"list_tabs":         callLine("1", "list_tabs", `{}`),
		"a page's tool":     callLine("1", "webmcp_shop_test_page0_add", `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, b := newLateHub(t)
				c := h.connect(true)
				c.handshake()
				c.send(line)
				if got := strings.Join(c.take(), ""); b.asked.Load() != 1 || strings.Contains(got, "not started") || strings.Contains(got, `"isError":true`) {
					t.Errorf("asked for %d times, answered %s", b.asked.Load(), got)
				}
				c.hangUp()
			})
		})
	}
}
