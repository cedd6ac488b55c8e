package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// Tests that what keeps agents from tabs does so in those that the extension debugs, too.

// listed waits until the hub lists a tab, and gives its number.
func listed(t *testing.T, h *hub, address string) (pageID int) {
	t.Helper()
	poll(t, "the hub doesn't list the tab", func() bool {
		for _, line := range strings.Split(textOf(h.call("list_pages", nil)), "\n") {
			if strings.Contains(line, address) {
				_, _ = fmt.Sscanf(line, "%d:", &pageID)
			}
		}
		return pageID != 0
	})
	return pageID
}

// TestExtensionAutomationOriginRules: documents of a site that the rules keep out are neither seen nor operated, in a
// frame, by navigation, and by a tab that a script leads there.
func TestExtensionAutomationOriginRules(t *testing.T) {
	t.Parallel()
	inner := "" // the frames' server answers at another name
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/secret" {
			fmt.Fprint(w, `<title>Secret</title><p>the account's balance</p><button onclick="fetch('/pressed')">Pay</button>`)
			return
		}
		fmt.Fprintf(w, `<title>Shop</title><p>open to all</p><iframe src="%s/secret"></iframe><iframe sandbox="allow-scripts" src="%s/secret"></iframe>`, inner, inner)
	}))
	t.Cleanup(s.Close)
	inner = otherOrigin(s.URL)
	at, err := url.Parse(inner)
	if err != nil {
		t.Fatal(err)
	}
	h, c := automatedChrome(t, "--deny-origin", at.Scheme+"://"+at.Hostname()+":*")
	page := c.open(t, s.URL+"/")
	id := listed(t, h, s.URL)
	h.call("select_page", map[string]any{"pageId": id})
	shot := h.call("take_snapshot", map[string]any{"verbose": true})
	if text := textOf(shot); shot.IsError || !strings.Contains(text, "open to all") || strings.Contains(text, "balance") || strings.Contains(text, "Pay") {
		t.Errorf("take_snapshot shows %s", text)
	}
	if text := textOf(h.call("evaluate_script", map[string]any{"frame": "/secret", "function": "() => document.body.innerText"})); strings.Contains(text, "balance") {
		t.Errorf("evaluate_script reads %s", text)
	}
	if r := h.call("take_screenshot", nil); hasImage(r) && !strings.Contains(textOf(r), "kept out") {
		t.Errorf("take_screenshot shows the frame: %s", textOf(r))
	}
	wantError(t, h.call("navigate_page", map[string]any{"url": inner + "/secret"}), "kept out")
	wantError(t, h.call("new_page", map[string]any{"url": inner + "/secret"}), "kept out")
	page.eval("setTimeout(() => { location.href = " + quoted(inner+"/secret?code=1234") + " })")
	poll(t, "the tab stays", func() bool { return !strings.Contains(textOf(h.call("list_pages", nil)), s.URL) })
	for _, tool := range []string{"take_snapshot", "take_screenshot", "list_console_messages", "list_network_requests"} {
		r := h.call(tool, map[string]any{"pageId": id})
		if text := textOf(r); hasImage(r) || strings.Contains(text, "balance") || strings.Contains(text, "1234") {
			t.Errorf("%s of the tab that went there: %s", tool, text)
		}
	}
}

// TestExtensionAutomationLeases: a tab that a client has to itself is neither operated nor attached to for another.
func TestExtensionAutomationLeases(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	c := automatedBrowser(t)
	w := startWeb(t, append(pair.flags(), "--automation=all")...)
	c.pair(pair.port, pair.token)
	one, two := w.connect(t), w.connect(t)
	site := automatedSite(t)
	c.open(t, site+"/second")
	id := listed(t, one, site)
	kept := one.call("focus_tab", map[string]any{"tabId": id, "exclusive": true})
	if kept.IsError {
		t.Fatal(textOf(kept))
	}
	for tool, args := range map[string]map[string]any{
		"take_snapshot":   {"pageId": id},
		"evaluate_script": {"pageId": id, "function": "() => document.title"},
		"navigate_page":   {"pageId": id, "url": site + "/"},
		"close_page":      {"pageId": id},
	} {
		if r := two.call(tool, args); !r.IsError || strings.Contains(textOf(r), "The second page") {
			t.Errorf("%s of the other client's tab: %s", tool, textOf(r))
		}
	}
	if c.debugged(site) {
		t.Error("the tab is debugged for a client that may not touch it")
	}
	if r := one.call("take_snapshot", map[string]any{"pageId": id}); r.IsError || !strings.Contains(textOf(r), "The second page") {
		t.Errorf("its holder's take_snapshot: %s", textOf(r))
	}
	if !c.debugged(site) {
		t.Error("the tab is not debugged for its holder")
	}
}

// TestExtensionAutomationTrust: rules about browser tools refuse or ask before the extension is attached.
func TestExtensionAutomationTrust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag  string
		asked int
	}{{"--deny", 0}, {"--ask", 1}} {
		t.Run(c.flag, func(t *testing.T) {
			t.Parallel()
			pair, browser, site := newPairing(t), automatedBrowser(t), automatedSite(t)
			who := &person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"answer": "no"}}
			h := startHubWith(t, []client.ClientOption{client.WithLegacyProtocolOnly(), client.WithElicitationHandler(who)},
				append(pair.flags(), "--automation=all", c.flag, "kind=automation origin="+site)...)
			browser.pair(pair.port, pair.token)
			browser.open(t, site+"/second")
			id := listed(t, h, site)
			r := h.call("evaluate_script", map[string]any{"pageId": id, "function": "() => document.body.innerText"})
			if text := textOf(r); !r.IsError || strings.Contains(text, "The second page") {
				t.Errorf("evaluate_script says %s", text)
			}
			if n := len(who.questions()); n < c.asked || c.asked == 0 && n > 0 {
				t.Errorf("the user was asked %d times", n)
			}
			if c.asked == 0 {
				return
			}
			who.answers(mcp.ElicitationResponseActionAccept, "once")
			if r := h.call("evaluate_script", map[string]any{"pageId": id, "function": "() => document.body.innerText"}); r.IsError || !strings.Contains(textOf(r), "The second page") {
				t.Errorf("allowed once, evaluate_script says %s", textOf(r))
			}
		})
	}
}

// TestExtensionAutomationEndedOnTheLivePage: a user who disconnects the page there ends it, and a tab that the live page lists
// is not attached to for that.
func TestExtensionAutomationEndedOnTheLivePage(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t, "--ui", "--no-share")
	site := automatedSite(t)
	c.open(t, site+"/second")
	id := listed(t, h, site)
	h.stderr.wait(t, "lets one browser in")
	link := liveLink.FindStringSubmatch(h.stderr.String())
	if link == nil {
		t.Fatalf("the log has no link:\n%s", h.stderr)
	}
	live := &liveHub{hub: h, chrome: c.chrome, address: link[1]}
	live.live = c.open(t, link[1]+link[2])
	live.shows(site)
	if c.debugged(site) {
		t.Error("the tab is debugged because it is listed")
	}
	if r := h.call("take_snapshot", map[string]any{"pageId": id}); r.IsError {
		t.Fatal(textOf(r))
	}
	if !c.debugged(site) {
		t.Fatal("the tab is not debugged though an agent uses it")
	}
	live.live.eval("window.old = true")
	live.live.eval(fmt.Sprintf("location.href = %s", quoted(fmt.Sprintf("%s?tab=%d", live.address, id))))
	live.live.waitLoaded()
	live.press("one", "Disconnect the page")
	poll(t, "the tab stays debugged", func() bool { return !c.debugged(site) })
	wantError(t, h.call("take_snapshot", map[string]any{"pageId": id}), "is not connected")
	live.press("one", "Connect the page")
	poll(t, "the agent can't use the tab again", func() bool { return !h.call("take_snapshot", map[string]any{"pageId": id}).IsError })
}

// TestExtensionAutomationEndsWithItsClients: the tab is debugged until the last client that uses it is gone.
func TestExtensionAutomationEndsWithItsClients(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	c := automatedBrowser(t)
	w := startWeb(t, append(pair.flags(), "--automation=all")...)
	c.pair(pair.port, pair.token)
	one, two := w.connect(t), w.connect(t)
	site := automatedSite(t)
	c.open(t, site+"/second")
	id := listed(t, one, site)
	for _, h := range []*hub{one, two} {
		if r := h.call("take_snapshot", map[string]any{"pageId": id}); r.IsError {
			t.Fatal(textOf(r))
		}
	}
	leaves := func(h *hub) {
		t.Helper()
		if status, said := w.send(http.MethodDelete, nil, "Authorization: Bearer "+w.token, "Mcp-Session-Id: "+h.client.GetSessionId()); status/100 != 2 {
			t.Fatalf("DELETE: %d %s", status, said)
		}
	}
	leaves(one)
	if r := two.call("evaluate_script", map[string]any{"pageId": id, "function": "() => document.title"}); r.IsError || !c.debugged(site) {
		t.Errorf("with one client left: %s", textOf(r))
	}
	leaves(two)
	poll(t, "the tab stays debugged", func() bool { return !c.debugged(site) })
}

// TestExtensionAutomationTooLong: a record that is too long for the extension's connection is told of in its place.
func TestExtensionAutomationTooLong(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	site := automatedSite(t)
	c.open(t, site+"/second")
	id := listed(t, h, site)
	// In JSON such a character takes six bytes. Chrome is slow with so much, and the script doesn't wait for it.
	if r := h.call("evaluate_script", map[string]any{"pageId": id, "function": `() => { setTimeout(() => { console.log('\u0001'.repeat(3 << 20)); console.log('after') }) }`}); r.IsError {
		t.Fatal(textOf(r))
	}
	text := ""
	poll(t, "what came after isn't listed", func() bool {
		text = textOf(h.call("list_console_messages", map[string]any{"pageId": id}))
		return strings.Contains(text, "after")
	})
	if !strings.Contains(text, "(Runtime.consoleAPICalled) is missing here: it is longer than the 16 MiB") {
		t.Errorf("the missing message is not told of: %s", text)
	}
}
