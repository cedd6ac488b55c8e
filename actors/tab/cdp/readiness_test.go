package cdp_test

import (
	"encoding/json"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// TestReadiness: a page without tools is told apart by what there still is to wait for.
func TestReadiness(t *testing.T) {
	silent := func(json.RawMessage) []json.RawMessage {
		return []json.RawMessage{json.RawMessage(`"mcp-server-ready"`)}
	}
	for _, early := range []bool{true, false} { // whether the hub is there before the page
		for name, x := range map[string]struct {
			site       cdptest.Site
			now, later registry.Readiness // later is when all has loaded and every time-out is over
		}{
			"normal":         {cdptest.Site{}, "", ""},
			"slow":           {cdptest.Site{Slow: true}, registry.StillLoading, ""},
			"without":        {cdptest.Site{NoWebMCP: true}, registry.NoWebMCP, registry.NoWebMCP},
			"slow without":   {cdptest.Site{NoWebMCP: true, Slow: true}, registry.StillLoading, registry.NoWebMCP},
			"server is mute": {cdptest.Site{NoWebMCP: true, MCP: silent}, registry.Initializing, registry.Initializing},
			"did not load":   {cdptest.Site{Unreachable: "ERR_FAILED", NoWebMCP: true}, "", ""},
		} {
			t.Run(name, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := Prepare(t)
					h.Chrome.Serve(Shop, x.site)
					if early {
						h.Start()
					}
					p := h.Chrome.OpenPage(Shop)
					if !early {
						h.Start()
					}
					wants := func(when string, want registry.Readiness) {
						t.Helper()
						h.Quiet()
						if got := h.Tab(p).Readiness; got != want {
							t.Errorf("%s, with the hub there before %t: %q, want %q", when, early, got, want)
						}
					}
					wants("at first", x.now)
					if x.site.Slow {
						p.Loads()
					}
					h.Pass(time.Minute)
					wants("later", x.later)
					h.Chrome.Serve(Cart, cdptest.Site{})
					p.Navigate(Cart)
					wants("on the next page", "")
					p.BackForward(Shop)
					if x.site.Unreachable == "" {
						wants("back", x.later)
					}
				})
			})
		}
	}
	t.Run("with a server", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Shop, cdptest.Site{NoWebMCP: true})
			p := h.Chrome.OpenPage(Shop)
			h.Serve(p.Main())
			if got := h.Tab(p).Readiness; got != "" {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("with a mute server in a frame", func(t *testing.T) {
		for _, without := range []bool{true, false} {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.Serve(Shop, cdptest.Site{NoWebMCP: without, Slow: true})
				p := h.Chrome.OpenPage(Shop)
				h.Quiet()
				h.Frame(p.Main(), Third).ServeMCP(silent)
				wants := func(when string, want registry.Readiness) {
					t.Helper()
					h.Quiet()
					if got := h.Tab(p).Readiness; got != want {
						t.Errorf("%s, without WebMCP %t: %q, want %q", when, without, got, want)
					}
				}
				wants("at first", registry.StillLoading)
				p.Loads()
				wants("loaded", "")
				h.Pass(time.Minute)
				wants("later", "")
			})
		}
	})
}
