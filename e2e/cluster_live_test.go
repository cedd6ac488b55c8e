package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestClusterLivePage: a gateway's live page shows each tenant's tabs, clients and calls on a page of its
// own, and acts there; nothing of a page's runs in it, and agents have no way to it.
func TestClusterLivePage(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.node(t, "one", "--automation")
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	g := c.gateway(t, "front", "--ui", "--automation", "--audit-log", audit)
	shop, bank := c.client(t, g, "shop"), c.client(t, g, "bank")
	handle := shop.acquire("one")
	pay := shop.openIn(handle, pages.url("loud.html", "of=shop"), "pay")

	link := liveLink.FindStringSubmatch(g.stderr.String())
	if link == nil {
		t.Fatalf("the log has no link:\n%s", g.stderr)
	}
	h := &liveHub{hub: shop, address: link[1]}
	h.live = nativeChrome(t).open(t, h.printed(g.cmd.Process.Pid))

	t.Run("lists tenants", func(t *testing.T) {
		h.see("/^shop\\t[12]\\t1\\t/.test(document.querySelector('#tenant-shop').innerText)") // a new Chromium may have an empty tab
		h.see("/^bank\\t0\\t1\\t/.test(document.querySelector('#tenant-bank').innerText)")
		h.views("the list of tenants")
	})
	h.follow("document.querySelector('#tenant-shop a')")

	t.Run("shows one's calls and tabs, as text", func(t *testing.T) {
		if r := shop.call(pay, map[string]any{"to": "Ann", "password": "hunter2"}); r.IsError || !strings.Contains(textOf(r), "paid to Ann") {
			t.Errorf("got %s", asJSON(r))
		}
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('pay') && r.textContent.includes('Ann') && r.textContent.includes('ok'))")
		h.shows("one/chrome-1")
		h.follow("[...document.querySelectorAll('#tabs li')].find((r) => r.innerText.includes('of=shop'))?.querySelector('a')")
		h.shows("What happened here")
		h.shows("onerror=top.pwned=1")
		h.views("a tenant's tab")
		if got := string(h.live.eval("window.pwned === undefined && !document.querySelector('main script, main img')")); got != "true" {
			t.Errorf("something of a page's ran: %s", h.live.eval("document.querySelector('main').innerHTML"))
		}
		if text := string(h.live.eval("document.documentElement.outerHTML")); strings.Contains(text, "hunter2") || !strings.Contains(text, "Watch this tab") {
			t.Errorf("the page shows a password, or has no way to the picture: %s", text)
		}
	})

	t.Run("shows a tab, which a person takes over", func(t *testing.T) { h.operatesAtNode(shop) })

	t.Run("acts", func(t *testing.T) {
		done := shop.start(context.Background(), strings.TrimSuffix(pay, "pay")+"hang", nil)
		h.press("running", "Stop")
		wantError(t, shop.await(done), "hang")
		h.press("one", "Pause this tab for agents")
		wantError(t, shop.call(pay, map[string]any{"to": "Eve"}), "the user has paused tab")
		h.press("one", "Let agents use this tab again")
		h.press("one", "Disconnect the page")
		shop.waitNoPageTools()
		h.press("one", "Connect the page")
		shop.waitOwn("pay")
		h.live.navigate(h.address + "shop/try?tool=" + pay)
		h.live.eval("window.old = true")
		h.live.eval("document.querySelector('[name=\"arg.to\"]').value = 'Bob'; document.querySelector('form button').click()")
		h.live.waitLoaded()
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('Bob') && r.textContent.includes('person') && r.textContent.includes('ok'))")
	})

	t.Run("keeps tenants apart", func(t *testing.T) {
		h.live.navigate(h.address + "bank/")
		h.shows("None yet.")
		if text := string(h.live.eval("document.documentElement.outerHTML")); strings.Contains(text, "of=shop") || strings.Contains(text, "pay") || strings.Contains(text, "chrome-1") {
			t.Errorf("bank's page shows shop's: %s", text)
		}
		if r, err := bank.tryCall(context.Background(), pay, map[string]any{"to": "bank"}); err == nil && !r.IsError {
			t.Errorf("a tenant called another's tool: %s", asJSON(r))
		}
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('refused'))")
	})

	t.Run("is not the agent's", func(t *testing.T) {
		wantError(t, shop.call("open_tab", map[string]any{"browser": handle, "url": h.address}), "hub's own page")
		wantText(t, shop.call(strings.TrimSuffix(pay, "pay")+"leave", map[string]any{"url": h.address}), "on my way")
		shop.waitNoPageTools()
		poll(t, "the live page is listed", func() bool { // a title may be told of right before the address is
			return !strings.Contains(textOf(shop.call("list_tabs", nil)), "webmcp-hub-live")
		})
	})

	t.Run("shows no tab whose browser was released", func(t *testing.T) {
		shop.openIn(handle, pages.url("loud.html", "of=released"), "pay")
		h.live.navigate(h.address + "shop/watch?tab=" + shop.pageID("of=released"))
		h.shows("You are looking")
		h.colour("r > 200 && g > 200") // white, as the page is
		if r := shop.call("release_browser", map[string]any{"browser": handle}); r.IsError {
			t.Error(textOf(r))
		}
		h.shows("The picture has ended")
		if got := string(h.live.eval("document.getElementById('frame').hidden")); got != "true" {
			t.Error("the last picture is still there")
		}
	})

	written, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`"tenant":"shop","session":"person",.*"name":"take_over",.*"outcome":"ok"`, `"tenant":"shop","session":"person-\d+",.*"tool":"pay".*"outcome":"ok"`, `"event":"decision","tenant":"shop".*"by":"pause","outcome":"refuse"`, `"tenant":"bank".*"outcome":"refused"`} {
		if !regexp.MustCompile(line).Match(written) {
			t.Errorf("the audit log has no %s:\n%s", line, written)
		}
	}
}

// pageID is the number of the page whose address has a text.
func (h *hub) pageID(text string) string {
	h.t.Helper()
	listed := textOf(h.call("list_pages", nil))
	found := regexp.MustCompile(`(\d+): .*` + text).FindStringSubmatch(listed)
	if found == nil {
		h.t.Fatalf("the tab isn't listed: %s", listed)
	}
	return found[1]
}

// operatesAtNode has a person look at the tab of the tenant shop, which is at a node, take it over and click in its picture.
func (h *liveHub) operatesAtNode(shop *hub) {
	tab := shop.pageID("of=shop")
	r := shop.call("evaluate_script", map[string]any{"pageId": number(tab), "function": `() => {
		const d = document.body.appendChild(document.createElement('div'));
		d.id = 'person';
		d.style.cssText = 'position:fixed;inset:0;background:rgb(0,200,0)';
		d.onclick = (e) => { d.title = e.isTrusted ? 'person' : 'script'; d.style.background = 'rgb(200,0,0)' };
	}`})
	if r.IsError {
		h.t.Fatal(textOf(r))
	}
	h.live.navigate(h.address + "bank/watch?tab=" + tab)
	h.shows("This tab is not open")
	h.live.navigate(h.address + "shop/watch?tab=" + tab)
	h.colour("g > 150 && r < 80")
	h.live.eval("(document.getElementById('pause').checked = true, document.getElementById('take').click())")
	h.shows("The tab is yours, and paused for agents.")
	if text := textOf(shop.call("take_snapshot", map[string]any{"pageId": number(tab)})); !strings.Contains(text, "the user operates tab") {
		h.t.Errorf("an agent reads a tab that is paused with the take-over: %s", text)
	}
	h.live.eval(`(() => {
		const f = document.getElementById('frame'), at = f.getBoundingClientRect();
		const mouse = (kind) => f.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true, button: 0, detail: 1, clientX: at.left + at.width * 0.5, clientY: at.top + at.height * 0.6}));
		mouse('mousedown');
		mouse('mouseup');
	})()`)
	h.colour("r > 150 && g < 80")
	h.live.eval("document.getElementById('give').click()")
	h.shows("You gave the tab back.")
	r = shop.call("evaluate_script", map[string]any{"pageId": number(tab), "function": "() => document.getElementById('person').title"})
	if !strings.Contains(textOf(r), "person") {
		h.t.Errorf("the page was clicked by %s", textOf(r))
	}
	if r := shop.call("evaluate_script", map[string]any{"pageId": number(tab), "function": "() => document.getElementById('person').remove()"}); r.IsError {
		h.t.Error(textOf(r))
	}
	h.live.navigate(h.address + "shop/?tab=" + tab)
}

// printed is the link that "webmcp-hub ui" gives to the page of a process.
func (h *liveHub) printed(pid int) string {
	h.t.Helper()
	ui := exec.Command(hubUnderTest(h.t), "ui", "--print", "--hub", strconv.Itoa(pid))
	ui.Env = environ(h.t)
	out, err := ui.CombinedOutput()
	link := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(link, h.address+"?token=") {
		h.t.Fatalf("webmcp-hub ui gives %s, %v", out, err)
	}
	return link
}

// follow follows a link of the live page.
func (h *liveHub) follow(link string) {
	h.t.Helper()
	h.see(link)
	h.live.eval("window.old = true")
	h.live.eval("(" + link + ").click()")
	h.live.waitLoaded()
}
