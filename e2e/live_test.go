package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

var liveLink = regexp.MustCompile(`url="?(http://127\.0\.0\.1:\d+/[\w-]+/)(\?token=\w+)`)

// liveHub is a hub with its live page in a tab of the browser that agents use.
type liveHub struct {
	*hub
	chrome  *chrome
	address string // of the live page
	live    *tab
	page    *tab // an ordinary one
}

func startLive(t *testing.T, flags ...string) *liveHub {
	t.Helper()
	c := nativeChrome(t)
	h := &liveHub{hub: startHub(t, append([]string{"--browser-url", c.browserURL(), "--no-share", "--ui"}, flags...)...), chrome: c}
	h.stderr.wait(t, "lets one browser in")
	link := liveLink.FindStringSubmatch(h.stderr.String())
	if link == nil {
		t.Fatalf("the log has no link:\n%s", h.stderr)
	}
	h.address = link[1]
	h.page = c.open(t, pages.url("plain.html", "of=shop"))
	h.live = c.open(t, link[1]+link[2])
	return h
}

// see waits until an expression is true in the live page, which shows what happens as it
// does.
func (h *liveHub) see(expression string) {
	h.t.Helper()
	const wait = `new Promise((done) => {
		const look = () => { if (!(%[1]s)) return false; done(true); return true; };
		if (!look()) { const o = new MutationObserver(() => { if (look()) o.disconnect(); }); o.observe(document, {subtree: true, childList: true, characterData: true, attributes: true}); }
	})`
	for {
		_, err := h.live.evaluate(fmt.Sprintf(wait, expression))
		switch {
		case err == nil:
			return
		case !strings.Contains(err.Error(), errReplaced.Error()):
			text, _ := h.live.evaluate("document.body.innerText")
			h.t.Fatalf("the live page doesn't show %s: %v; it shows %s", expression, err, text)
		}
	}
}

// shows waits for a text.
func (h *liveHub) shows(text string) {
	h.t.Helper()
	h.see("document.body.innerText.includes(" + quoted(text) + ")")
}

// press presses the button with a label, in the section with an id, and waits for the
// page that it leads to.
func (h *liveHub) press(section, label string) {
	h.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll('#%s button')].find((b) => b.textContent === %s)`, section, quoted(label))
	h.see(button)
	h.live.eval("window.old = true")
	h.live.eval(button + ".click()")
	h.live.waitLoaded()
}

func quoted(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// chooses shows the details of the first call whose row has a text.
func (h *liveHub) chooses(text string) {
	h.t.Helper()
	h.live.eval("window.old = true")
	h.live.eval(fmt.Sprintf("[...document.querySelectorAll('#calls tbody tr')].find((r) => r.textContent.includes(%s)).querySelector('a').click()", quoted(text)))
	h.live.waitLoaded()
}

// TestLivePage: what agents do shows on the hub's live page as it happens, its user answers
// what is asked there, stops, pauses and calls; and agents have no way to the page.
func TestLivePage(t *testing.T) {
	t.Parallel()
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	h := startLive(t, "--automation", "--audit-log", audit)
	h.page.eval(`(() => {
		const tool = (name, execute, more) => document.modelContext.registerTool({ name, description: 'Does ' + name, inputSchema: { type: 'object', properties: { to: { type: 'string' }, count: { type: 'number', description: 'How often' }, password: { type: 'string' } } }, execute, ...more });
		window.paid = [];
		tool('pay', (a) => { paid.push(a.to); return { content: [{ type: 'text', text: 'paid to ' + a.to }] } });
		tool('hang', () => new Promise(() => {}));
	})()`)
	h.waitTool(toolName("0", "pay"))
	h.waitTool(toolName("0", "hang"))

	t.Run("is not the agent's", func(t *testing.T) {
		for _, call := range []struct {
			tool string
			args map[string]any
		}{
			{"open_tab", map[string]any{"url": h.address}},
			{"open_tab", map[string]any{"url": strings.Replace(h.address, "127.0.0.1", "localhost", 1)}},
			{"new_page", map[string]any{"url": h.address}},
			{"navigate_page", map[string]any{"url": h.address, "pageId": 1}},
		} {
			result, err := h.tryCall(context.Background(), call.tool, call.args)
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(result); !result.IsError || !strings.Contains(text, "hub's own page") {
				t.Errorf("%s %v: %s", call.tool, call.args, text)
			}
		}
		for _, list := range []string{"list_tabs", "list_pages", "list_webmcp_tools"} {
			result, err := h.tryCall(context.Background(), list, nil)
			if err == nil && strings.Contains(quoted(result), strings.Split(h.address, "/")[2]) {
				t.Errorf("%s shows the hub's page: %s", list, quoted(result))
			}
		}
		// A script that leads there gets nothing to see: the tab is gone for the agent.
		own := h.chrome.open(t, pages.url("plain.html", "of=other"))
		h.shows("of=other")
		requests := func(of string) string {
			found := regexp.MustCompile(`(\d+): .*` + of).FindStringSubmatch(textOf(h.call("list_pages", nil)))
			if found == nil {
				t.Fatalf("the tab isn't listed: %s", textOf(h.call("list_pages", nil)))
			}
			return textOf(h.call("list_network_requests", map[string]any{"pageId": number(found[1]), "includePreservedRequests": true}))
		}
		requests("of=other")
		own.eval("window.old = true")
		own.eval("setTimeout(() => location.href = " + quoted(h.address) + ")")
		own.waitLoaded()
		h.see("![...document.querySelectorAll('#tabs li')].some((r) => r.innerText.includes('of=other'))")
		if result := h.call("list_tabs", nil); strings.Contains(quoted(result), strings.Split(h.address, "/")[2]) {
			t.Errorf("a tab that went to the hub's page is listed: %s", quoted(result))
		}
		// Nor does the tab tell, once it has left, where it was.
		own.navigate(pages.url("plain.html", "of=back"))
		h.shows("of=back")
		before := requests("of=back") // recorded from now on, if they weren't before
		own.navigate(pages.url("plain.html", "of=more"))
		h.shows("of=more")
		if after := requests("of=more"); !strings.Contains(after, "of=more") || strings.Contains(before+after, "webmcp-hub-live-") {
			t.Errorf("the requests of the tab: %s, then %s", before, after)
		}
		own.close()
	})

	t.Run("shows calls, without secrets", func(t *testing.T) {
		wantText(t, h.call(toolName("0", "pay"), map[string]any{"to": "Ann", "password": "hunter2"}), "paid to Ann")
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('pay') && r.textContent.includes('Ann') && r.textContent.includes('ok') && r.textContent.includes('stdio-1'))")
		h.chooses("Ann")
		h.see("['paid to Ann', 'Does pay', 'How often', '[masked]'].every((text) => document.getElementById('call').textContent.includes(text))")
		h.views("a call's details")
		if text := string(h.live.eval("document.documentElement.outerHTML")); strings.Contains(text, "hunter2") || !strings.Contains(text, "[masked]") {
			t.Errorf("the page shows a password: %s", text)
		}
	})

	t.Run("stops a call", func(t *testing.T) {
		done := h.start(context.Background(), toolName("0", "hang"), nil)
		h.press("running", "Stop")
		wantError(t, h.await(done), `The user stopped the call of tool "hang"`)
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('hang') && r.textContent.includes('cancelled'))")
	})

	t.Run("pauses a client", func(t *testing.T) {
		h.press("clients", "Pause")
		wantError(t, h.call(toolName("0", "pay"), map[string]any{"to": "Eve"}), "the user has paused this client")
		h.press("clients", "Let it go on")
		wantText(t, h.call(toolName("0", "pay"), map[string]any{"to": "Bob"}), "paid to Bob")
	})

	t.Run("pauses and disconnects a tab", func(t *testing.T) {
		h.live.eval("window.old = true")
		h.live.eval("document.querySelector('#tabs a').click()")
		h.live.waitLoaded()
		h.shows("What happened here")
		h.press("one", "Pause this tab for agents")
		wantError(t, h.call(toolName("0", "pay"), map[string]any{"to": "Eve"}), "the user has paused tab")
		h.press("one", "Let agents use this tab again")
		h.press("one", "Disconnect the page")
		h.waitNoPageTools()
		h.press("one", "Connect the page")
		h.waitTool(toolName("0", "pay"))
	})

	t.Run("is for everybody", func(t *testing.T) {
		h.views("a tab that is chosen")
		if missed := h.tabKeys(); missed != "[]" {
			t.Errorf("the keyboard doesn't reach %s", missed)
		}
		h.live.eval("document.querySelector('#one button').focus()")
		h.live.eval("window.old = true")
		h.key("Enter", 13, "\r")
		h.live.waitLoaded()
		h.press("one", "Let agents use this tab again")
		h.live.navigate(h.address + "nothing")
		h.views("a note")
		h.live.navigate(h.address)
		h.views("all")
		holdsToHAR(t, h.live.eval("fetch('export.har').then((r) => r.json())"), 3)
	})

	t.Run("calls a tool as a person", func(t *testing.T) {
		h.live.navigate(h.address + "try?tool=" + toolName("0", "pay"))
		h.views("a form")
		h.live.eval("window.old = true")
		h.live.eval("document.querySelector('[name=\"arg.count\"]').value = 'two'; document.querySelector('[name=\"arg.to\"]').value = '\\nPers\\n'; document.querySelector('button').click()")
		h.live.waitLoaded()
		// Chrome gives the focus when it draws the page, which it puts off in a tab behind another one.
		if got := string(h.live.eval("[document.querySelector('[autofocus]').name, document.querySelector('[autofocus]').value, document.querySelector('[name=\"arg.to\"]').value]")); got != `["arg.count","two","\nPers\n"]` {
			t.Errorf("a form with a mistake comes back with %s", got)
		}
		h.views("a form with a mistake")
		h.live.eval("window.old = true")
		h.live.eval("document.querySelector('[name=\"arg.count\"]').value = '2'; document.querySelector('[name=\"arg.to\"]').value = 'Person'; document.querySelector('button').click()")
		h.live.waitLoaded()
		h.see("[...document.querySelectorAll('#calls tr')].some((r) => r.textContent.includes('person-') && r.textContent.includes('Person'))")
		h.shows("paid to Person") // among the call's details
	})

	t.Run("shows a tab's picture, and hands the tab over", func(t *testing.T) { h.handsOver() })

	if got := string(h.page.eval("paid")); got != `["Ann","Bob","Person"]` {
		t.Errorf("the page was asked to pay %s", got)
	}
	h.finish()
	written, err := os.ReadFile(audit)
	if err != nil || !regexp.MustCompile(`"session":"person",.*"name":"take_over",.*"outcome":"ok"`).Match(written) {
		t.Errorf("the audit log doesn't say that a person operated the tab: %v\n%s", err, written)
	}
}

// TestLivePageAnswersQuestions: a client that can't ask its user has them asked on the live
// page; nothing is done before they have allowed it, and no other page can.
func TestLivePageAnswersQuestions(t *testing.T) {
	t.Parallel()
	h := startLive(t, "--policy-preset=careful")
	h.page.eval(paysHere)
	h.waitTool(toolName("0", "pay"))
	answer := func(choice string) {
		h.see("document.querySelector('.question:not(.settling) [name=answer]')")
		h.live.eval("window.old = true")
		h.live.eval(fmt.Sprintf("document.querySelector('.question [name=answer][value=%s]').click()", quoted(choice)))
		h.live.waitLoaded()
	}
	done := h.start(context.Background(), toolName("0", "pay"), map[string]any{"to": "Ann"})
	h.shows("Ann")
	h.views("a question")
	// A page of this computer sends the form's fields: it knows neither the nonce nor the
	// cookie, and its origin is another.
	sent := h.page.eval(fmt.Sprintf(`fetch(%s + 'do', {method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({do: 'answer', of: 'x', answer: 'once', nonce: ''})}).then((r) => r.type, (e) => 'refused')`, quoted(h.address)))
	if got := string(h.page.eval("reached")); got != "[]" {
		t.Fatalf("the page answered for the user (%s): %s", sent, got)
	}
	answer("once")
	wantText(t, h.await(done), "paid")
	done = h.start(context.Background(), toolName("0", "pay"), map[string]any{"to": "Eve"})
	answer("no")
	wantError(t, h.await(done), "the user refused it")
	if got := string(h.page.eval("reached")); got != `["pay Ann"]` {
		t.Errorf("the page did %s", got)
	}
}

// TestQuestionsDontSwapUnderThePointer: where a question ended, the next one takes no click for a moment. What the page
// and the agent say stands in boxes of its own, and nothing of it is below the fold of a box.
func TestQuestionsDontSwapUnderThePointer(t *testing.T) {
	t.Parallel()
	h := startLive(t, "--policy-preset=careful")
	h.page.eval(paysHere)
	pay := toolName("0", "pay")
	h.waitTool(pay)
	ctx, cancel := context.WithCancel(context.Background())
	other, end := context.WithCancel(context.Background())
	first := h.start(ctx, pay, map[string]any{"to": "Ann"})
	h.shows("Ann")
	h.chrome.open(t, pages.url("plain.html", "of=another")).eval(paysHere)
	h.waitTool(toolName("1", "pay"))
	second := h.start(other, toolName("1", "pay"), map[string]any{"to": "Eve", "note": strings.Repeat("long\n", 200), "amount": 4711})
	h.shows("Eve")
	h.see("document.querySelectorAll('.question').length === 2 && !document.querySelector('.settling')")
	if got := string(h.live.eval(`[...document.querySelectorAll('.question pre')].map((e) => e.scrollHeight <= e.clientHeight + 1 && !e.innerText.includes('|')).join()`)); strings.Contains(got, "false") || got == `""` {
		t.Errorf("boxes that show all, and without bars: %s", got)
	}
	h.live.eval(`(() => {
		const at = document.querySelector('.question').getBoundingClientRect();
		window.met = () => { const e = document.elementFromPoint(at.x + 20, at.y + 20); return !!e && !!e.closest('.question'); };
		window.swapped = [met()];
		new MutationObserver(() => { if (document.querySelectorAll('.question').length === 1 && swapped.length === 1) swapped.push(met()); }).observe(document, {subtree: true, childList: true});
	})()`)
	cancel()
	<-first
	h.see("document.querySelectorAll('.question').length === 1 && document.querySelector('.settling')")
	h.see("!document.querySelector('.settling')")
	if got := string(h.live.eval(`[...swapped, met()].join()`)); got != `"true,false,true"` {
		t.Errorf("a click there would have met a question before, at once, and after a moment: %s", got)
	}
	end()
	<-second
}

// TestLivePageAcceptsPins: what --pins=hold withholds is accepted on the live page where the
// client can't ask.
func TestLivePageAcceptsPins(t *testing.T) {
	t.Parallel()
	letScriptsGrant(t)
	dir := filepath.Join(t.TempDir(), "pins")
	h := startLive(t, "--pins=hold", "--pins-dir", dir)
	shop := h.chrome.open(t, pages.url("dynamic.html"))
	pay := toolName("1", "pay")
	shop.eval(`add('pay', {description: 'Pays the bill.'})`)
	h.waitTool(pay)
	origin := strings.TrimSuffix(pages.url(""), "/")
	pinned(t, dir, origin, "3 definitions")
	pinsOf(t, dir, "accept", origin) // the first visit is over
	shop.eval(`change('pay', 'Pays the bill twice.')`)
	h.stderr.wait(t, "withheld, because its definition")
	h.waitTools("pay withheld", func(all []mcp.Tool) bool { // not only gone until it is registered anew
		return !slices.ContainsFunc(all, func(tool mcp.Tool) bool { return tool.Name == pay })
	})
	done := h.start(context.Background(), pay, nil)
	h.shows(`"Pays the bill twice."`)
	h.live.eval("window.old = true")
	h.live.eval(`document.querySelectorAll('.question [name=answer]')[1].click()`)
	h.live.waitLoaded()
	h.await(done)
	h.waitTool(pay)
	wantText(t, h.call(pay, nil), "pay ran")
}

// TestLivePageRunsNothingOfOthers: no field that a page or a client controls can have the
// live page run anything.
func TestLivePageRunsNothingOfOthers(t *testing.T) {
	t.Parallel()
	h := startLive(t)
	attacks := hostileTexts()
	if len(attacks) < 100 {
		t.Fatalf("only %d attacks", len(attacks))
	}
	h.page.eval(fmt.Sprintf(`(() => {
		const all = %s;
		document.title = all[0] + all[1];
		all.forEach((text, i) => document.modelContext.registerTool({ name: 'attack' + i, description: text, title: text,
			inputSchema: { type: 'object', properties: { [text]: { type: 'string', description: text, enum: [text] } } },
			execute: () => { if (i %% 3 == 0) throw new Error(text); return { content: [{ type: 'text', text }] } } }));
		try { document.modelContext.registerTool({ name: '<img src=x onerror=top.pwned=1>', description: '', inputSchema: { type: 'object' }, execute() {} }) } catch {}
		history.replaceState(null, '', location.pathname + '?of=shop&' + all.map(encodeURIComponent).join('').slice(0, 500) + '#' + all[3]);
	})()`, quoted(attacks)))
	h.waitTool(toolName("0", fmt.Sprintf("attack%d", len(attacks)-1)))
	for i, text := range attacks {
		_, _ = h.tryCall(context.Background(), toolName("0", fmt.Sprintf("attack%d", i)), map[string]any{text: text})
	}
	_, _ = h.tryCall(context.Background(), attacks[0], map[string]any{})
	ran := func(where string) {
		t.Helper()
		if got := string(h.live.eval("window.pwned === undefined && !document.querySelector('main script, main img, main iframe, main base, main [onerror], main [onclick], main [style]')")); got != "true" {
			t.Errorf("%s: something of a page's ran, or is there: %s", where, h.live.eval("document.querySelector('main').innerHTML"))
		}
	}
	h.shows("attack99")
	ran("as it is sent")
	h.live.reload()
	h.shows("attack99")
	ran("as it is loaded")
	h.live.eval("window.old = true")
	h.live.eval("document.querySelector('#tabs a').click()")
	h.live.waitLoaded()
	h.shows("What happened here")
	h.shows("attack42")
	ran("the tab")
	for _, i := range []int{0, 7, 42} {
		h.live.navigate(h.address + "try?tool=" + toolName("0", fmt.Sprintf("attack%d", i)))
		ran("a form")
	}
	h.live.navigate(h.address + "?q=" + "%3Cscript%3Etop.pwned%3D1%3C%2Fscript%3E&client=%22%3E%3Cimg%20src%3Dx%20onerror%3Dpwned%3D1%3E&outcome=%27%3E%3Cscript%3E&span=%3Cb%3E")
	ran("a filter")
}

// hostileTexts try to leave each place that a template has for a text.
func hostileTexts() (all []string) {
	const run = "top.pwned=1"
	starts := []string{"", "\">", "'>", "</title>", "</textarea>", "</script>", "</option></select>", "</pre>", "--><!-- ", "{{.}}", "]]>", "\u2028", "\x00", "</svg>", "&quot;&gt;"}
	tags := []string{
		"<script>" + run + "</script>", "<img src=x onerror=" + run + ">", "<svg onload=" + run + ">", "<svg><script>" + run + "</script></svg>",
		"<iframe srcdoc='<script>parent." + run + "</script>'>", "<a href=\"javascript:" + run + "\" id=click autofocus onfocus=" + run + ">x</a>",
		"<details open ontoggle=" + run + ">", "<base href=//evil.example/>",
	}
	for _, s := range starts {
		for _, tag := range tags {
			all = append(all, s+tag)
		}
	}
	return all
}
