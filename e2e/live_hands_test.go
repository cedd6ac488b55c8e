package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// TestLivePageByHand: with nothing but keys, and with nothing but a finger on a page as narrow as a phone, a person
// answers a question, stops a call, takes a tab over, operates it, and gives it back.
func TestLivePageByHand(t *testing.T) {
	t.Parallel()
	h := startLive(t, "--automation", "--policy-preset=careful")
	h.page.eval(paysHere)
	h.page.eval(`document.modelContext.registerTool({ name: 'hang', description: 'Hangs', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, execute: () => new Promise(() => {}) })`)
	pay, hang := toolName("0", "pay"), toolName("0", "hang")
	h.waitTool(hang)
	h.live.page("Page.bringToFront", nil, nil)
	h.live.page("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	for _, hand := range []struct {
		name    string
		press   func(element string)
		operate string // what happens in the page meanwhile
		does    func()
	}{
		{"keys", h.presses, "keydown", func() { h.key("x", 88, "x") }},
		{"a finger", h.taps, "click", func() { h.taps("document.getElementById('frame')") }},
	} {
		t.Run(hand.name, func(t *testing.T) {
			if hand.name != "keys" {
				h.live.page("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true}, nil)
				h.live.page("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true}, nil)
			}
			leads := func(element string) {
				t.Helper()
				h.see(element)
				h.live.eval("window.old = true")
				hand.press(element)
				h.live.waitLoaded()
			}
			h.live.navigate(h.address)
			done := h.start(context.Background(), pay, map[string]any{"to": hand.name})
			h.see("document.querySelector('.question:not(.settling)')")
			leads("document.querySelector('.question:not(.settling) button.main')")
			wantText(t, h.await(done), "paid")

			done = h.start(context.Background(), hang, nil)
			leads("[...document.querySelectorAll('#running li')].find((li) => li.textContent.includes('hang'))?.querySelector('button')")
			wantError(t, h.await(done), `The user stopped the call of tool "hang"`)

			leads("[...document.querySelectorAll('#tabs a.what')].find((a) => a.title.includes('of=shop'))")
			leads("document.querySelector('#one a[href^=watch]')")
			h.colour("true")
			h.page.eval(fmt.Sprintf(`(() => { window.did = new Promise((done) => addEventListener(%q, done, {once: true})) })()`, hand.operate))
			hand.press("document.getElementById('take')")
			h.shows("The tab is yours")
			hand.does()
			h.page.eval("did.then(() => true)")
			if hand.name == "keys" {
				h.live.page("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "Escape", "modifiers": 8}, nil)
			}
			hand.press("document.getElementById('give')")
			h.shows("You gave the tab back.")
		})
	}
}

// presses gives an element the focus by the tab key, and presses Enter.
func (h *liveHub) presses(element string) {
	h.t.Helper()
	var met []string
	for range 100 {
		if string(h.live.eval("document.activeElement === "+element)) == "true" {
			h.key("Enter", 13, "\r")
			return
		}
		h.key("Tab", 9, "")
		met = append(met, string(h.live.eval("document.activeElement.outerHTML.slice(0, 60)")))
	}
	h.t.Fatalf("the tab key doesn't reach %s, but %q", element, met)
}

// taps taps the middle of an element, which must be large enough for a finger and not be covered.
func (h *liveHub) taps(element string) {
	h.t.Helper()
	var at struct {
		X, Y float64
		Why  string
	}
	raw := h.live.eval(fmt.Sprintf(`(() => {
		const e = %s;
		e.scrollIntoView({block: 'center'});
		const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2, hit = document.elementFromPoint(x, y);
		return {x, y, why: b.width < 24 || b.height < 24 ? 'it is too small' : b.x < 0 || b.right > innerWidth ? 'it sticks out' : e.contains(hit) ? '' : 'it is covered by ' + (hit && hit.outerHTML)};
	})()`, element))
	if err := json.Unmarshal(raw, &at); err != nil || at.Why != "" {
		h.t.Fatalf("%s can't be tapped: %s %v", element, at.Why, err)
	}
	h.live.page("Input.dispatchTouchEvent", map[string]any{"type": "touchStart", "touchPoints": []any{map[string]any{"x": at.X, "y": at.Y}}}, nil)
	h.live.page("Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}}, nil)
}
