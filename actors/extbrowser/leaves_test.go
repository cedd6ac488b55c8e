package extbrowser_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// TestAnExtFormThatOpensATab: the extension says which tab shows the result.
func TestAnExtFormThatOpensATab(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		tab := b.OpenTab(Shop)
		tab.Register(exttest.Tool{Name: "find", Execute: answersNever})
		opened := b.OpenTab("http://shop.test/found")
		h.Quiet()
		for said, want := range map[string]string{strconv.Itoa(opened.ID): "extension/one/" + strconv.Itoa(opened.ID), "null": "", `"7"`: "", "-1": ""} {
			call := h.Begin("shop_test_page0_find", `{}`)
			h.Quiet()
			heard := b.Received("callTool")
			b.Say(`{"type":"toolResult","callId":"` + heard[len(heard)-1].CallID + `","result":{"content":[]},"openedTabId":` + said + `}`)
			h.Quiet()
			if got := call.Result().Opened; got != want || want != "" && h.Pub.Current().Tab(registry.PageID(got)) == nil {
				t.Errorf("%s: opened %q, want %q", said, got, want)
			}
		}
	})
}

// A tool that submits a form is answered with what the next page declares as
// its data, or else with where it led, as over the port.
func TestAnExtToolThatLeavesItsPage(t *testing.T) {
	const thanks = "http://shop.test/thanks"
	moved := func(opened *exttest.Tab) { opened.Navigate(thanks) }
	answers := func(rest string) func(func(string)) { return func(say func(string)) { say(rest) } }
	overdue := func(func(string)) { fakeclock.Elapse(tab.MaxLoadWait) }
	for name, is := range map[string]struct {
		move    func(*exttest.Tab)
		then    func(say func(string))
		want    string
		isError bool
		aborted bool
	}{
		"to a page with data":        {moved, answers(`"result":[{"booking":7}]`), `[{"booking":7}]`, false, false},
		"to a page without data":     {moved, answers(`"result":[]`), "The tool navigated the page to " + thanks + ". The page's tools may have changed", false, false},
		"to another origin":          {moved, answers(`"result":null,"error":"the tool led to a page of another origin"`), "The page navigated to " + thanks + " while tool", true, false},
		"to a page that never comes": {moved, overdue, "The page navigated to " + thanks + " while tool", true, true},
		"to a page that goes on": {func(opened *exttest.Tab) { opened.Navigate("http://shop.test/on"); opened.Navigate(thanks) },
			func(func(string)) {}, "The page navigated to " + thanks + " while tool", true, false},
		"nowhere":                     {func(*exttest.Tab) {}, answers(`"result":null`), "null", false, false},
		"nowhere, and the page fails": {func(*exttest.Tab) {}, answers(`"result":null,"error":"the page crashed"`), "the page crashed", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewExtHub(t)
				b := h.Join(exttest.New("one"))
				opened := b.OpenTab(Shop)
				opened.Register(exttest.Tool{Name: "buy", Execute: answersNever})
				h.Quiet()
				call := h.Begin("shop_test_page0_buy", `{}`)
				h.Quiet()
				answer := `{"type":"toolResult","callId":"` + b.Received("callTool")[0].CallID + `",`
				b.Say(answer + `"result":null,"leaves":true}`)
				h.Quiet()
				is.move(opened)
				h.Quiet()
				is.then(func(rest string) { b.Say(answer + rest + "}") })
				h.Quiet()
				if r := call.Result(); r.IsError != is.isError || !strings.Contains(unescaped(r.JSON), is.want) {
					t.Errorf("got %s, want %s", r.JSON, is.want)
				}
				if aborted := len(b.Received("cancelTool")) > 0; aborted != is.aborted {
					t.Errorf("the extension was told to forget the call: %t", aborted)
				}
			})
		})
	}
}

// A form whose next page is slow to come is waited for, as long as for any call.
func TestAnExtToolThatLeavesItsPageSlowly(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		opened := b.OpenTab(Shop)
		opened.Register(exttest.Tool{Name: "buy", Execute: answersNever})
		h.Quiet()
		call := h.Begin("shop_test_page0_buy", `{}`)
		h.Quiet()
		answer := `{"type":"toolResult","callId":"` + b.Received("callTool")[0].CallID + `",`
		b.Say(answer + `"result":null,"leaves":true}`)
		h.Quiet()
		fakeclock.Elapse(2 * tab.MaxLoadWait)
		opened.Navigate("http://shop.test/thanks")
		h.Quiet()
		b.Say(answer + `"result":["late"]}`)
		h.Quiet()
		if r := call.Result(); r.IsError || !strings.Contains(unescaped(r.JSON), `["late"]`) {
			t.Errorf("got %s", r.JSON)
		}
	})
}

func unescaped(b []byte) string { return strings.ReplaceAll(string(b), `\"`, `"`) }

func answersNever(context.Context, json.RawMessage) (any, error) { return exttest.Never, nil }
