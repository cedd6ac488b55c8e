package extbrowser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// TestManyTabs: 200 tabs on one connection, all changing at once, and no update
// is lost; nor does a flood of nonsense lose one.
func TestManyTabs(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		var tabs []*exttest.Tab
		for range 200 {
			tabs = append(tabs, b.OpenTab(Shop))
		}
		for round := range 8 {
			for i, tab := range tabs {
				tab.Register(exttest.Tool{Name: fmt.Sprintf("t%d_%d", i, round)})
				if round > 0 {
					tab.Unregister(fmt.Sprintf("t%d_%d", i, round-1))
				}
				b.Say(`{"type":"nonsense"}`)
				b.Say(`{"type":"toolResult","callId":"1.1.1","result":1}`)
			}
		}
		fakeclock.Elapse(time.Second)
		h.Quiet()
		for i, tab := range h.Pub.Current().Tabs() {
			if want := fmt.Sprintf("t%d_7", i); len(tab.Tools) != 1 || tab.Tools[0].Route.Tool != want {
				t.Fatalf("tab %d has %v, want %s", i, tab.Tools, want)
			}
		}
		if n := h.Pub.Current().Len(); n != 200 {
			t.Errorf("%d tools", n)
		}
	})
}

// TestExtCostsAreGivenBack: a page's messages count against what its
// connection reads ahead only until they are handled, also those that come
// after the page's end.
func TestExtCostsAreGivenBack(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		tab, other := b.OpenTab(Shop), b.OpenTab(Third)
		long := strings.Repeat("x", 100<<10)
		for i := range 2 * extlink.MaxUnhandled / len(long) {
			tab.Register(exttest.Tool{Name: "add", Description: fmt.Sprint(i, long)})
			h.Quiet()
		}
		tab.Close()
		for range 2 * extlink.MaxUnhandled / len(long) {
			b.Say(fmt.Sprintf(`{"type":"toolsChanged","tabId":%d,"tools":[{"name":"add","description":%q}]}`, tab.ID, long))
		}
		other.Register(exttest.Tool{Name: "last"})
		h.Want(names.ExtractDomain(Third) + "_page0_last")
		if n := b.Wire().Unread(); n != 0 {
			t.Errorf("%d messages were not read", n)
		}
	})
}

// TestFloodsDelayOnlyTheirOwn: while one browser floods the hub, calls in
// another's page are answered, and no time goes by.
func TestFloodsDelayOnlyTheirOwn(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		wild, calm := h.Join(exttest.New("wild")), h.Join(exttest.New("calm"))
		page := wild.OpenTab(Shop)
		h.Quiet()
		calm.OpenTab(Third).Register(exttest.Tool{Name: "add"})
		h.Quiet()
		stop := make(chan struct{})
		flooding := make(chan struct{})
		end := sync.OnceFunc(func() {
			close(stop)
			<-flooding
		})
		defer end() // after a failure, too
		go func() {
			defer close(flooding)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				switch {
				case wild.Wire().Unread() > 1000:
					fakeclock.Elapse(time.Millisecond)
				case i%2 == 0:
					page.Register(exttest.Tool{Name: fmt.Sprintf("t%d", i%50)})
				default:
					page.Navigate(fmt.Sprintf("http://shop.test/%d", i))
				}
				if i%500 == 0 {
					fakeclock.Pause(time.Millisecond)
				}
			}
		}()
		for range 20 {
			answer := make(chan registry.Result, 1)
			tool := h.Tool(names.ExtractDomain(Third) + "_page1_add")
			began := time.Now()
			go func() { answer <- h.Call(context.Background(), tool, json.RawMessage(`{}`), tab.CallExtras{}) }()
			WantText(t, <-answer, false, "ok")
			if took := time.Since(began); took > 10*time.Millisecond {
				t.Errorf("a call took %v", took)
			}
		}
		end()
		page.Navigate(Shop)
		page.Register(exttest.Tool{Name: "last"})
		fakeclock.Elapse(time.Second)
		h.Want("shop_test_page0_last", names.ExtractDomain(Third)+"_page1_add")
	})
}
