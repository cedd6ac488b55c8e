package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// colour waits until the middle of the picture satisfies a condition on r, g and b.
func (h *liveHub) colour(condition string) {
	h.t.Helper()
	_, err := h.live.evaluate(fmt.Sprintf(`new Promise((done) => {
		const f = document.getElementById('frame');
		const look = () => {
			if (!f.naturalWidth) return;
			const c = document.createElement('canvas');
			c.width = c.height = 1;
			const at = c.getContext('2d');
			at.drawImage(f, f.naturalWidth / 2, f.naturalHeight / 2, 1, 1, 0, 0, 1, 1);
			const [r, g, b] = at.getImageData(0, 0, 1, 1).data;
			if (%s) { f.removeEventListener('load', look); done(true); }
		};
		f.addEventListener('load', look);
		look();
	})`, condition))
	if err != nil {
		text, _ := h.live.evaluate("[document.getElementById('frame').naturalWidth, document.getElementById('frame').src.length, document.body.innerText]")
		h.t.Fatalf("the picture isn't %s: %v; its width, its length and the page are %s", condition, err, text)
	}
}

// handsOver has a person look at the page's tab, take it over and click in the picture, while an
// agent's click waits.
func (h *liveHub) handsOver() {
	t := h.t
	h.page.eval(`(() => {
		window.clicked = [];
		document.body.innerHTML = '<button id=agents>For agents</button><div id=person>';
		document.body.style.margin = 0;
		person.style.cssText = 'position:fixed;inset:30% 0 0 0;background:rgb(0,200,0)';
		person.onclick = (e) => { clicked.push(e.isTrusted ? 'person' : 'script'); person.style.background = 'rgb(200,0,0)' };
		agents.onclick = () => clicked.push('agent');
	})()`)
	listed := textOf(h.call("list_pages", nil))
	found := regexp.MustCompile(`(\d+): .*of=shop`).FindStringSubmatch(listed)
	if found == nil {
		t.Fatalf("the tab isn't listed: %s", listed)
	}
	tab := number(found[1])
	snapshot := textOf(h.call("take_snapshot", map[string]any{"pageId": tab}))
	uid := regexp.MustCompile(`uid=(\S+) button "For agents"|(\S+) button "For agents"`).FindStringSubmatch(snapshot)
	if uid == nil {
		t.Fatalf("no button: %s", snapshot)
	}

	h.live.navigate(fmt.Sprintf("%s?tab=%d", h.address, tab))
	h.see("document.querySelector('#one a[href^=watch]')")
	h.live.navigate(fmt.Sprintf("%swatch?tab=%d", h.address, tab))
	h.colour("g > 150 && r < 80")
	shown := func(want string) {
		t.Helper()
		if got := string(h.live.eval("['take', 'pausing', 'give'].filter((id) => document.getElementById(id).checkVisibility()).join()")); got != want {
			t.Errorf("the page shows %s, not %s", got, want)
		}
	}
	shown(`"take,pausing"`)
	h.views("a tab's picture")
	h.live.eval("(document.getElementById('pause').checked = false, document.getElementById('take').click())")
	h.shows("The tab is yours.")
	shown(`"give"`)

	done := h.start(context.Background(), "click", map[string]any{"pageId": tab, "uid": strings.TrimPrefix(uid[1]+uid[2], "uid="), "timeout": 60_000})
	// Both show on the live page: that a person operates the tab, and the call that waits.
	h.live.eval(`(async () => {
		for (;;) {
			const calls = new DOMParser().parseFromString(await (await fetch('./')).text(), 'text/html').getElementById('running').textContent;
			if (calls.includes('take_over') && calls.includes('person') && calls.includes('click')) return true;
			await new Promise((again) => setTimeout(again, 50));
		}
	})()`)
	h.live.eval(`(() => {
		const f = document.getElementById('frame'), at = f.getBoundingClientRect();
		const mouse = (kind) => f.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true, button: 0, detail: 1, clientX: at.left + at.width * 0.5, clientY: at.top + at.height * 0.6}));
		mouse('mousedown');
		mouse('mouseup');
	})()`)
	h.colour("r > 150 && g < 80")
	if got := string(h.page.eval("clicked")); got != `["person"]` {
		t.Errorf("while the tab is a person's: %s", got)
	}
	h.live.eval("document.getElementById('give').click()")
	if text := textOf(h.await(done)); !strings.Contains(text, "Clicked button") {
		t.Errorf("the agent's click: %s", text)
	}
	if got := string(h.page.eval("clicked")); got != `["person","agent"]` {
		t.Errorf("in the end: %s", got)
	}
	h.shows("You gave the tab back.")

	h.live.eval("(document.getElementById('pause').checked = true, document.getElementById('take').click())")
	h.shows("The tab is yours, and paused for agents.")
	if text := textOf(h.call("take_snapshot", map[string]any{"pageId": tab})); !strings.Contains(text, "the user operates tab") {
		t.Errorf("an agent reads a tab that is paused with the take-over: %s", text)
	}
	h.live.eval("document.getElementById('give').click()")
	h.shows("You gave the tab back.")
	if text := textOf(h.call("take_snapshot", map[string]any{"pageId": tab})); !strings.Contains(text, "For agents") {
		t.Errorf("once it was given back: %s", text)
	}

	// A page that nobody sees leaves its connection to others.
	unseen := func(state string) string {
		return fmt.Sprintf("(window.setTimeout = (f) => f(), Object.defineProperty(document, 'visibilityState', {value: %q, configurable: true}), document.dispatchEvent(new Event('visibilitychange')), true)", state)
	}
	h.live.eval(unseen("hidden"))
	h.shows("stands still while nobody sees")
	h.live.eval(unseen("visible"))
	h.shows("You are looking")
	// Nor does one keep it whose tab was the person's as it went out of sight.
	h.live.eval("document.getElementById('take').click()")
	h.shows("The tab is yours, and paused for agents.")
	h.live.eval(unseen("hidden"))
	h.live.eval("document.getElementById('give').click()")
	h.shows("stands still while nobody sees")
	h.waitsBehindAnother()
	h.endsUnseen()
}

// waitsBehindAnother: who has pressed Take over is told that they wait, also while another person has the tab.
func (h *liveHub) waitsBehindAnother() {
	source, err := os.ReadFile(filepath.Join("..", "live", "watch.js"))
	if err != nil {
		h.t.Fatal(err)
	}
	told := string(h.live.eval("window.EventSource = function() { window.events = this; this.close = () => {} }; " + string(source) +
		"; events.onmessage({ data: '{\"state\":\"waiting\",\"taken\":true}' }); document.getElementById('status').textContent"))
	if !strings.Contains(told, "Waiting until") {
		h.t.Errorf("who waits for the tab is told %s", told)
	}
}

// endsUnseen: why a picture has ended is still said when nobody has seen the page since before that.
func (h *liveHub) endsUnseen() {
	h.call("new_page", map[string]any{"url": pages.url("shop.html", "of=unseen")})
	found := regexp.MustCompile(`(\d+): .*of=unseen`).FindStringSubmatch(textOf(h.call("list_pages", nil)))
	if found == nil {
		h.t.Fatal("the tab isn't listed")
	}
	h.live.navigate(h.address + "watch?tab=" + found[1])
	h.shows("You are looking")
	h.live.eval("(window.setTimeout = (f) => { window.later = f }, Object.defineProperty(document, 'visibilityState', {value: 'hidden'}), document.dispatchEvent(new Event('visibilitychange')), true)")
	h.call("close_page", map[string]any{"pageId": number(found[1])})
	h.shows("The picture has ended")
	h.live.eval("(later(), true)")
	h.shows("The picture has ended")
}
