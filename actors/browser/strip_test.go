package browser_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// TestTabsAreNumberedAsTheyStand: those that were open before the hub came.
func TestTabsAreNumberedAsTheyStand(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		t.Run(fmt.Sprintf("explicit %v", explicit), func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := Prepare(t, func(o *Options) { o.Explicit = explicit })
				h.Chrome.Shuffle()
				for i, window := range []int{2, 0, 0, 2, 1} {
					h.Chrome.OpenPage(fmt.Sprintf("http://w%d.test/%d", window, i)).InWindow(window)
				}
				twin := h.Chrome.OpenPage("http://w0.test/1") // shows what another does
				twin.InWindow(1)
				h.Start()
				var got []string
				for _, tab := range h.Pub.Current().Tabs() {
					got = append(got, tab.URL)
				}
				want := []string{"http://w0.test/1", "http://w0.test/2", "http://w1.test/4", "http://w0.test/1", "http://w2.test/0", "http://w2.test/3"}
				if !slices.Equal(got, want) {
					t.Errorf("the tabs are\n%q, in the strip\n%q", got, want)
				}
				last := h.Chrome.OpenPage("http://last.test/")
				h.Quiet()
				if tab := h.Pub.Current().Tab(registry.PageID(last.ID())); tab == nil || tab.Index != 6 || tab.Connected() == explicit {
					t.Errorf("the next is %+v", tab)
				}
			})
		})
	}
}

// TestATabThatComesTwiceWhileTabsAreGathered goes in between.
func TestATabThatComesTwiceWhileTabsAreGathered(t *testing.T) {
	says := func(method, session string) cdpclient.Event {
		return cdpclient.Event{Method: method, Params: json.RawMessage(`{"sessionId":"` + session + `","targetInfo":{"targetId":"T","type":"page","url":"` + Shop + `"}}`)}
	}
	want := []cdpclient.Event{says(cdpclient.TargetAttachedToTarget, "1"), says(cdpclient.TargetDetachedFromTarget, "1"), says(cdpclient.TargetAttachedToTarget, "2")}
	if got := browser.InStripOrder(want); !reflect.DeepEqual(got, want) {
		t.Errorf("%s", got)
	}
}

// TestTabsOfTheHubBefore stay in the order that they had there, and are connected
// or not as callers chose.
func TestTabsOfTheHubBefore(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		t.Run(fmt.Sprintf("explicit %v", explicit), func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := Prepare(t, func(o *Options) { o.Explicit = explicit })
				h.Chrome.Shuffle()
				var ids []registry.PageID
				for i := range 4 {
					ids = append(ids, registry.PageID(h.Chrome.OpenPage(fmt.Sprintf("http://w.test/%d", i)).ID()))
				}
				h.Opts.Registry.Before.Tabs = []registry.TabBefore{{Page: ids[3], ID: 9, Connected: true}, {Page: ids[0], ID: 4}, {Page: "gone", ID: 5}}
				h.Start()
				var got []string
				for _, tab := range h.Pub.Current().Tabs() {
					got = append(got, fmt.Sprint(tab.URL, " ", tab.ID, " ", tab.Connected()))
				}
				want := []string{"http://w.test/3 9 true", "http://w.test/0 4 false", fmt.Sprint("http://w.test/1 10 ", !explicit), fmt.Sprint("http://w.test/2 11 ", !explicit)}
				if !slices.Equal(got, want) {
					t.Errorf("the tabs are\n%q, want\n%q", got, want)
				}
			})
		})
	}
}
