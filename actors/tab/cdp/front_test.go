package cdp_test

import (
	"encoding/json"
	"testing"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// TestWatchFront: the publisher hears where the user goes, and not where the
// hub itself goes; pages get the script for it only where it is wanted.
func TestWatchFront(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t, func(o *actors.Options) { o.WatchFront = true })
		one, two := h.Chrome.OpenPage(Shop), h.Chrome.OpenPage(Third)
		h.Quiet()
		shown := func(p *cdptest.Page) {
			tellsPage(h, p, cdpclient.Event{Session: h.Session(p), Method: cdpclient.RuntimeBindingCalled,
				Params: json.RawMessage(`{"name":"` + bridge.FrontBinding + `","executionContextId":1,"payload":""}`)})
			h.Quiet()
		}
		want := func(pages ...*cdptest.Page) {
			t.Helper()
			got := h.Pub.Switched()
			if len(got) != len(pages) {
				t.Fatalf("%d switches, want %d", len(got), len(pages))
			}
			for i, p := range pages {
				if got[i] != registry.PageID(p.ID()) {
					t.Errorf("switch %d is to %s", i, got[i])
				}
			}
		}
		shown(one)
		want()
		shown(two)
		want(two)
		if err := h.ActivateTab(t.Context(), registry.PageID(one.ID())); err != nil {
			t.Fatal(err)
		}
		shown(one)
		want(two)
		id, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop})
		if err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		for _, p := range h.Chrome.Pages() {
			if p.ID() == string(id) {
				shown(p)
			}
		}
		want(two)
		if err := h.CloseTab(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		shown(two) // took its place
		want(two)
		shown(one)
		want(two, one)
	})
}

func TestNoScriptWithoutWatchFront(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		for _, watch := range []bool{false, true} {
			h := NewHub(t, func(o *actors.Options) { o.WatchFront = watch })
			p := h.Chrome.OpenPage(Shop)
			h.Quiet()
			want := 1
			if watch {
				want = 2
			}
			if n := Sent(p, cdpclient.RuntimeAddBinding); n != want {
				t.Errorf("%d bindings, want %d", n, want)
			}
		}
	})
}

// TestFrontIsWatchedFromNowOn: pages that are open get the script once, and so
// do those that come.
func TestFrontIsWatchedFromNowOn(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		open := h.Chrome.OpenPage(Shop)
		h.Quiet()
		h.WatchFront()
		h.WatchFront()
		h.Quiet()
		later := h.Chrome.OpenPage(Third)
		h.Quiet()
		for _, p := range []*cdptest.Page{open, later} {
			if n := Sent(p, cdpclient.RuntimeAddBinding); n != 2 {
				t.Errorf("%d bindings, want the bridge's and the one that watches", n)
			}
		}
	})
}

func tellsPage(h *TestHub, p *cdptest.Page, message any) {
	h.TellTab(registry.PageID(p.ID()), message)
}
