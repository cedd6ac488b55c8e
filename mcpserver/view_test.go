package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/browsertool"
	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// connectAs starts the session of a client with a view of its own.
func (h *hub) connectAs(v view.Settings, listed <-chan bool) *rawClient {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &rawClient{t: h.t, hub: h, in: in, out: out, cancel: cancel, served: make(chan error, 1)}
	go func() {
		err := h.ServeGuest(ctx, view.Guest{View: &v, Listed: listed}, serverIn, serverOut)
		serverIn.Close()
		serverOut.Close()
		c.served <- err
	}()
	go c.read()
	h.t.Cleanup(func() { // after a failure
		cancel(nil)
		in.Close()
		out.Close()
	})
	return c
}

var usualView = view.Settings{Mode: view.AllTabs, CallTimeout: time.Minute, MaxName: names.DefaultMaxName}

func viewWith(change func(*view.Settings)) view.Settings {
	v := usualView
	change(&v)
	return v
}

// categorized offers one browser tool in each category, which answers with the tab that the client has focused.
type categorized struct{ line }

func (c categorized) Tools(categories string) (all []browsertool.Tool) {
	for _, category := range strings.FieldsFunc(categories, func(r rune) bool { return r == ',' }) {
		t := c.line.Tools("")[0]
		t.Name, t.OwnTime = category+"_tool", false
		t.Encoded = json.RawMessage(`{"name":"` + t.Name + `","inputSchema":{"type":"object"}}`)
		all = append(all, t)
	}
	return all
}

func (c categorized) Call(_ context.Context, call browsertool.Call) registry.Result {
	on := "all tabs"
	if call.FocusMode {
		on = "no tab"
		if tab := call.Focused(); tab != nil {
			on = string(tab.Page)
		}
	}
	return sanitize.TextResult(call.Tool + " on " + on)
}

// TestEachClientHasItsBrowserTools: in its list, and for its calls, in both modes.
func TestEachClientHasItsBrowserTools(t *testing.T) {
	for _, mode := range []view.Mode{view.AllTabs, view.FocusedTab} {
		bubble(t, func(t *testing.T) {
			b := &tabBrowser{}
			h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Browser, o.Automation = b, categorized{} })
			b.h = h
			h.page("A", "https://shop.test/a", "add")
			for _, categories := range []string{"", "input", "input,network"} {
				c := h.connectAs(viewWith(func(v *view.Settings) { v.Mode, v.Automation = mode, categories }), nil)
				c.handshake()
				works := func(on string) { // on nothing if on is ""
					t.Helper()
					for _, category := range []string{"input", "network"} {
						tool, want := category+"_tool", on != "" && strings.Contains(categories, category)
						if slices.Contains(c.list(), tool) != want {
							t.Errorf("%s, %q: %s is listed: %v", mode, categories, tool, !want)
						}
						if got := c.call(tool, `{}`); (got == tool+" on "+on) != want {
							t.Errorf("%s, %q: %s answers %s", mode, categories, tool, got)
						}
					}
				}
				if mode == view.AllTabs {
					works("all tabs")
				} else {
					works("")
					c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":1} !`})
					works("no tab")
					c.steps([3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://shop.test/a"},"toolsAvailable":["add"]} !`})
					works("A")
				}
				c.hangUp()
			}
		})
	}
}

// TestEachClientHasItsView: what one client is shown says nothing of what
// another one is.
func TestEachClientHasItsView(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Browser = &tabBrowser{} })
		h.page("A", "https://shop.test/a", "add", "a_tool_with_a_name_that_is_rather_long")
		all := h.connectAs(usualView, nil)
		listed := make(chan bool)
		fixed := h.connectAs(viewWith(func(v *view.Settings) { v.Unlisted = true }), listed)
		focus := h.connectAs(viewWith(func(v *view.Settings) { v.Mode = view.FocusedTab }), nil)
		short := h.connectAs(viewWith(func(v *view.Settings) { v.MaxName = 40 }), nil)
		paged := h.connectAs(viewWith(func(v *view.Settings) { v.ListPage = 2 }), nil)
		everybody := []*rawClient{all, fixed, focus, short, paged}
		for _, c := range everybody {
			c.handshake()
		}
		full := names.ToolName("shop_test", 0, "a_tool_with_a_name_that_is_rather_long", names.DefaultMaxName)
		cutName := names.ToolName("shop_test", 0, "a_tool_with_a_name_that_is_rather_long", 40)
		if full == cutName || len(cutName) > 40 {
			t.Fatalf("%s and %s", full, cutName)
		}
		has := func(c *rawClient, name string, want bool) {
			t.Helper()
			if slices.Contains(c.list(), name) != want {
				t.Errorf("%s listed: %v", name, !want)
			}
		}
		has(all, full, true)
		has(short, cutName, true)
		has(short, full, false)
		has(short, "webmcp_shop_test_page0_add", true)
		has(fixed, "webmcp_shop_test_page0_add", false)
		has(fixed, "list_tabs", true)
		if got := focus.list(); !slices.Equal(got, []string{"connect_browser"}) {
			t.Errorf("in focus mode: %q", got)
		}
		if got := paged.list(); len(got) != 2 {
			t.Errorf("the first page has %q", got)
		}
		// Each calls by the names that it was shown, and the hub's overview has those, too.
		if got := short.call(cutName, `{}`); !strings.HasPrefix(got, "A/a_tool_with") {
			t.Error(got)
		}
		if got := short.call("call_webmcp_tool", `{"name":"`+cutName+`"}`); !strings.HasPrefix(got, "A/a_tool_with") {
			t.Error(got)
		}
		for _, tool := range short.overviewOf(`{}`).Pages[0].Tools {
			if tool.Name != "webmcp_shop_test_page0_add" && tool.Name != cutName {
				t.Errorf("the overview has %s", tool.Name)
			}
		}
		if got := fixed.call("call_webmcp_tool", `{"name":"webmcp_shop_test_page0_add"}`); got != "A/add {}" {
			t.Error(got)
		}

		// A change is told to those who see it.
		h.change(tools("A", 1, "add"))
		for _, c := range []*rawClient{all, short, paged} {
			c.expect(listChanged)
		}
		fixed.expect()
		focus.expect()

		// Listing is switched for one of them.
		listed <- true
		fixed.expect(listChanged)
		has(fixed, "webmcp_shop_test_page0_add", true)
		listed <- false
		fixed.expect(listChanged)
		has(fixed, "webmcp_shop_test_page0_add", false)
		all.expect()
		h.SetPageToolsListed(false) // only for clients without a view of their own
		all.expect()
		for _, c := range everybody {
			c.hangUp()
		}
	})
}

// TestListingIsSwitchedForThoseWithoutAView: the ones there are, and those that come.
func TestListingIsSwitchedForThoseWithoutAView(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Unlisted = true })
		h.page("A", "https://shop.test/a", "add")
		c := h.connect(true)
		c.handshake()
		if got := c.list(); len(got) != len(ownTools) {
			t.Errorf("listed: %q", got)
		}
		h.SetPageToolsListed(true)
		c.expect(listChanged)
		d := h.connect(true)
		d.handshake()
		for _, c := range []*rawClient{c, d} {
			if got := c.list(); len(got) != len(ownTools)+1 {
				t.Errorf("listed: %q", got)
			}
			c.hangUp()
		}
	})
}

// TestEdgeCases is the case of the specification's test plan that needs a client; registry has the others.
func TestEdgeCases(t *testing.T) {
	t.Run("removes all tools when disabled", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo)
			h.page("A", "https://shop.test/", "add", "pay")
			h.page("B", "https://bank.test/", "pay")
			c := h.connect(true)
			c.handshake()
			if got := c.list(); len(got) != len(ownTools)+3 {
				t.Errorf("listed: %q", got)
			}
			h.SetPageToolsListed(false)
			c.expect(listChanged)
			if got := c.list(); len(got) != len(ownTools) {
				t.Errorf("listed: %q", got)
			}
			c.hangUp()
		})
	})
}

// TestTheLimitOfCallsIsTheClients: another client's doesn't count.
func TestTheLimitOfCallsIsTheClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			<-ctx.Done()
			return registry.EndedByTimeout("add", context.Cause(ctx).Error())
		}, func(o *Options, _ *registry.Options) { o.CallTimeout = time.Hour })
		h.page("A", "https://shop.test/a", "add")
		c := h.connectAs(viewWith(func(v *view.Settings) { v.CallTimeout = 7 * time.Second }), nil)
		c.handshake()
		c.send(callLine("1", "webmcp_shop_test_page0_add", `{}`))
		fakeclock.Elapse(7*time.Second - 1)
		c.expect()
		fakeclock.Elapse(1)
		if got := strings.Join(c.take(), ""); !strings.Contains(got, "the time limit of 7s is over") {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestInstructionsGoWithTheView(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connectAs(viewWith(func(v *view.Settings) { v.Mode = view.FocusedTab }), nil)
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		if got := strings.Join(c.take(), ""); !strings.Contains(got, "Begin with connect_browser") {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestViewsThatAreRefused(t *testing.T) {
	if err := usualView.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*view.Settings){
		"mode":     func(v *view.Settings) { v.Mode = "some" },
		"none":     func(v *view.Settings) { *v = view.Settings{} },
		"timeout":  func(v *view.Settings) { v.CallTimeout = 1e18 },
		"no limit": func(v *view.Settings) { v.CallTimeout = 0 },
		"name":     func(v *view.Settings) { v.MaxName = 8 },
		"too long": func(v *view.Settings) { v.MaxName = 4000 },
		"page":     func(v *view.Settings) { v.ListPage = -1 },
		"follow":   func(v *view.Settings) { v.FollowUser = true },
	} {
		if viewWith(change).Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
