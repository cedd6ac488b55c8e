package extbrowser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestExtOrders(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain %v", plain), func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewExtHub(t)
				if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop}); err == nil || !strings.Contains(err.Error(), "no browser is connected") {
					t.Errorf("without a browser it gives %v", err)
				}
				b := exttest.New("one")
				b.Plain = plain
				h.Join(b)
				other := h.Join(exttest.New("two"))
				beside := registry.PageID("")
				for i := range 3 {
					page, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop, Beside: beside})
					if err != nil {
						t.Fatal(err)
					}
					h.Quiet()
					if tab := h.Pub.Current().Tab(page); tab == nil || tab.URL != Shop || len(b.Tabs()) != i+1 {
						t.Fatalf("the tab is %+v", tab)
					}
					beside = page
				}
				for i, o := range b.Received("openTab") {
					if !o.Focus {
						t.Errorf("tab %d was opened in the background", i)
					}
				}
				behind, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Beside: beside, Background: true})
				if told := b.Received("openTab"); err != nil || told[len(told)-1].Focus {
					t.Errorf("in the background: %v, %+v", err, told[len(told)-1])
				}
				if err := h.CloseTab(t.Context(), behind); err != nil {
					t.Error(err)
				}
				h.Quiet()
				other.OpenTab(Third)
				h.Quiet()
				tabs := h.Pub.Current().Tabs()
				if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Beside: tabs[3].Page}); err != nil || len(other.Tabs()) != 2 {
					t.Errorf("beside the other's tab: %v", err)
				}
				if err := h.ActivateTab(t.Context(), tabs[1].Page); err != nil || len(b.Received("focusTab")) != 1 || b.Received("focusTab")[0].TabID != 2 {
					t.Errorf("focus: %v, %+v", err, b.Received("focusTab"))
				}
				if err := h.CloseTab(t.Context(), tabs[1].Page); err != nil {
					t.Error(err)
				}
				h.Quiet()
				if h.Pub.Current().Tab(tabs[1].Page) != nil || len(b.Tabs()) != 2 {
					t.Error("the tab is still there")
				}
				if err := h.CloseTab(t.Context(), tabs[1].Page); err == nil {
					t.Error("a closed tab was closed")
				}
			})
		})
	}
	t.Run("refused, not answered, lost", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewExtHub(t)
			b := h.Join(exttest.New("one"))
			tab := b.OpenTab(Shop)
			h.Quiet()
			page := h.Pub.Current().Tabs()[0].Page
			b.Ignore("openTab", "closeTab")
			fails := func(want string, order func() error) {
				t.Helper()
				if err := order(); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("it gives %v, want %q", err, want)
				}
			}
			open := func() error { _, err := h.OpenTab(context.Background(), registry.NewTab{URL: Shop}); return err }
			fails("did not answer in 10s", open)
			b.Say(`{"type":"orderResult","requestId":"o1","tabId":7}`) // too late
			go func() {
				fakeclock.Pause(time.Second)
				b.Say(`{"type":"orderResult","requestId":"` + b.Received("openTab")[1].RequestID + `","error":"the window is gone"}`)
			}()
			fails("the window is gone", open)
			go func() {
				fakeclock.Pause(time.Second)
				_ = b.Wire().Close()
			}()
			fails("no browser is connected", func() error { return h.CloseTab(context.Background(), page) })
			_ = tab
		})
	})
}

// What opens no tabs is never chosen for that.
func TestTabsOpenWhereThatCanBe(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		h.Dialer.FailWith(func(int) error { return ErrNoChrome })
		proxy := exttest.New("proxy")
		proxy.Fixed = true
		h.Join(proxy)
		proxy.OpenTab(Shop)
		h.Quiet()
		beside := h.Pub.Current().Tabs()[0].Page
		for _, page := range []registry.PageID{"", beside} {
			if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Beside: page}); err == nil || !strings.Contains(err.Error(), "MCP-B proxies are connected, and they open no tabs") {
				t.Errorf("with a proxy only: %v", err)
			}
		}
		if info, err := h.Connect(t.Context(), false); err != nil || info.Name != "Chrome" {
			t.Errorf("its pages are there: %v, %v", info, err)
		}
		if _, err := h.Connect(t.Context(), true); err == nil || !strings.Contains(err.Error(), ErrNoChrome.Error()) {
			t.Errorf("nothing was started: %v", err)
		}
		b := h.Join(exttest.New("one")) // later, but it can
		for _, page := range []registry.PageID{"", beside} {
			if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Beside: page}); err != nil {
				t.Error(err)
			}
		}
		if n := len(b.Tabs()); n != 2 || len(proxy.Tabs()) != 1 {
			t.Errorf("%d and %d tabs", n, len(proxy.Tabs()))
		}
		b.Die()
		h.Quiet()
		h.Dialer.FailWith(nil)
		if _, err := h.Connect(t.Context(), true); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if page, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Beside: beside}); err != nil || strings.HasPrefix(string(page), "extension/") {
			t.Errorf("Chrome was not taken: %v, %v", page, err)
		}
	})
}
