package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// searches lists until the shop's tool is there, and calls it.
func (h *rawHub) searches() {
	h.t.Helper()
	h.waitListed(toolName("0", "search"))
	m := h.ask("tools/call", map[string]any{"name": toolName("0", "search"), "arguments": map[string]any{"q": "it"}})
	if m.Error != nil || !strings.Contains(string(m.Result), "found it") {
		h.t.Fatalf("calling the shop's search: %s %+v", m.Result, m.Error)
	}
}

// chromes counts the browsers on a profile, whose helpers have a --type.
func chromes(profile string) (n int) {
	for _, pid := range processes(profile) {
		cmdline, err := os.ReadFile("/proc/" + pid + "/cmdline")
		if err == nil && !strings.Contains(string(cmdline), "--type=") {
			n++
		}
	}
	return n
}

// TestHubsShareOneChrome: two clients start a hub each on one profile. The second
// joins the first, and takes over when that is killed.
func TestHubsShareOneChrome(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
	first := startRaw(t, flags...)
	first.initialize()
	first.searches()
	second := startRaw(t, flags...)
	second.initialize()
	second.searches()
	third := startRaw(t, flags...)
	third.initialize()
	third.searches()
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}

	before := []int{second.changes, third.changes}
	begun := time.Now()
	first.signal(syscall.SIGKILL)
	first.waitExit()
	for i, h := range []*rawHub{second, third} {
		for h.changes == before[i] {
			h.read()
		}
		h.searches()
	}
	t.Logf("the next hub had the tools %v after the owner was killed", time.Since(begun))
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}

	// Whoever took over stays for the other, whose client goes on.
	owner, guest := second, third
	if strings.Contains(third.stderr.String(), "this process takes its place") {
		owner, guest = third, second
	}
	_ = owner.stdin.Close()
	guest.searches()
	_ = guest.stdin.Close()
	for _, h := range []*rawHub{guest, owner} {
		if code := h.waitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	waitNoProcess(t, profile)
}

// TestACallThatItsHubLeftBehind is answered when the owner goes.
func TestACallThatItsHubLeftBehind(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	p := c.open(t, pages.url("behaviours.html"))
	flags := []string{"--browser-url", c.browserURL()}
	first := startRaw(t, flags...)
	first.initialize()
	first.waitListed(toolName("0", "hangs"))
	second := startRaw(t, flags...)
	second.initialize()
	second.waitListed(toolName("0", "hangs"))
	call := second.request("tools/call", map[string]any{"name": toolName("0", "hangs"), "arguments": map[string]any{}})
	p.happened("hanging")
	first.signal(syscall.SIGKILL)
	first.waitExit()
	if m := second.answer(call); m.Error != nil || !strings.Contains(string(m.Result), "may have taken effect") {
		t.Errorf("the call was answered %s %+v", m.Result, m.Error)
	}
	second.waitListedAnew(toolName("0", "hangs"))
}

// TestClientsOfOneHubSeeItTheirWay: what differs is only how each sees the hub.
func TestClientsOfOneHubSeeItTheirWay(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--launch", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
	start := func(more ...string) *rawHub {
		h := startRaw(t, append(slices.Clone(flags), more...)...)
		h.initialize()
		return h
	}
	all := start()
	all.searches()
	fixed := start("--disable-webmcp-auto-register")
	m := fixed.ask("tools/call", map[string]any{"name": "call_webmcp_tool", "arguments": map[string]any{"name": "search", "arguments": map[string]any{"q": "it"}}})
	if !strings.Contains(string(m.Result), "found it") || strings.Contains(string(fixed.ask("tools/list", nil).Result), `"webmcp_`) {
		t.Errorf("got %s", m.Result)
	}
	short := start("--max-tool-name", "32")
	if got := string(short.ask("tools/list", nil).Result); !strings.Contains(got, `"webmcp_`) || strings.Contains(got, toolName("0", "add_to_cart")) {
		t.Errorf("with short names: %s", got)
	}
	focus := start("--mode", "focus")
	if got := string(focus.ask("tools/list", nil).Result); !strings.Contains(got, "connect_browser") || strings.Contains(got, "search") {
		t.Errorf("in focus mode: %s", got)
	}
	focus.ask("tools/call", map[string]any{"name": "connect_browser", "arguments": map[string]any{}})
	focus.ask("tools/call", map[string]any{"name": "focus_tab", "arguments": map[string]any{"tabId": 1}})
	focus.waitListed("search")
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}
	fixed.signal(syscall.SIGUSR2)
	fixed.waitListed(toolName("0", "search"))
}

// TestHubsThatDiffer: other flags of the hub's own are never ignored; the client
// is told, and has its hub when the other one has gone.
func TestHubsThatDiffer(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
	first := startRaw(t, flags...)
	first.initialize()
	first.searches()
	second := startRaw(t, append(flags, "--max-pages", "3")...)
	second.initialize()
	for _, tool := range []string{"list_webmcp_tools", "connect_browser", "list_tabs", "open_tab", "connect_webmcp"} {
		args := map[string]any{}
		if tool == "open_tab" {
			args["url"] = pages.url("shop.html")
		}
		m := second.ask("tools/call", map[string]any{"name": tool, "arguments": args})
		if got := string(m.Result); !strings.Contains(got, "--max-pages 2000, this one 3") || !strings.Contains(got, fmt.Sprint(first.cmd.Process.Pid)) {
			t.Errorf("%s: %s %+v", tool, m.Result, m.Error)
		}
	}
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}
	_ = first.stdin.Close()
	second.searches()
	alone := startRaw(t, "--headless", "--isolated")
	alone.initialize()
}

// TestAHubThatIsStopped: its guests say so within a bound, and go on when it does.
func TestAHubThatIsStopped(t *testing.T) {
	t.Parallel()
	chromePath(t)
	flags := []string{"--headless", "--user-data-dir", t.TempDir(), "--chrome-arg=" + pages.url("shop.html")}
	first := startRaw(t, flags...)
	first.initialize()
	first.searches()
	second := startRaw(t, flags...)
	second.initialize()
	second.searches()
	first.stop()
	begun := time.Now()
	m := second.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}})
	took := time.Since(begun)
	if got := string(m.Result); !strings.Contains(got, "doesn't answer") || !strings.Contains(got, fmt.Sprintf("kill -9 %d", first.cmd.Process.Pid)) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s %+v", m.Result, m.Error)
	}
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	m = second.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}})
	if got := string(m.Result); !strings.Contains(got, "doesn't answer") {
		t.Errorf("then got %s %+v", m.Result, m.Error)
	}
	first.signal(syscall.SIGCONT)
	second.searches()
	first.searches()
}

// TestTheNextHubHasThePagesThatWereOpen, whichever way the owner ends, where Chrome
// can't be handed over.
func TestTheNextHubHasThePagesThatWereOpen(t *testing.T) {
	t.Parallel()
	chromePath(t)
	setenv(t, "WEBMCP_HUB_TEST_REOPEN", "1")
	for name, end := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "told to end": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			profile := t.TempDir()
			flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
			first := startRaw(t, flags...)
			first.initialize()
			first.searches()
			second := startRaw(t, flags...)
			second.initialize()
			second.searches()
			for _, page := range []string{"dynamic.html", "behaviours.html"} {
				m := second.ask("tools/call", map[string]any{"name": "open_tab", "arguments": map[string]any{"url": pages.url(page)}})
				if m.Error != nil || strings.Contains(string(m.Result), `"isError":true`) {
					t.Fatalf("open_tab: %s %+v", m.Result, m.Error)
				}
			}
			second.waitListed(toolName("2", "hangs"))
			poll(t, "the second hub isn't told which pages are open", func() bool {
				return strings.Contains(second.stderr.String(), "behaviours.html") && strings.Contains(second.stderr.String(), "state for its successor")
			})
			first.signal(end)
			first.waitExit()
			for _, tool := range []string{toolName("0", "search"), toolName("1", "unlock"), toolName("2", "hangs")} {
				second.waitListed(tool)
			}
			tabs := string(second.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}}).Result)
			if n := strings.Count(tabs, `\"url\"`); n != 3 {
				t.Errorf("%d tabs are open: %s", n, tabs)
			}
			if n := chromes(profile); n != 1 {
				t.Errorf("%d Chromes run", n)
			}
			_ = second.stdin.Close()
			second.waitExit()
			waitNoProcess(t, profile)
		})
	}
}

// TestHubsThatDifferInBrowserTools: a client has the browser tools that its own flags name, never those of whoever
// started the Chrome's hub. With --exclusive-tabs it doesn't join an owner without. Where a Chrome takes one hub only it
// is told why, and where it takes several it has one of its own.
func TestHubsThatDifferInBrowserTools(t *testing.T) {
	t.Parallel()
	chromePath(t)
	c := nativeChrome(t)
	const most = "input,navigation"
	for where, flags := range map[string][]string{
		"one hub only": {"--headless", "--user-data-dir", t.TempDir(), "--chrome-arg=" + pages.url("shop.html")},
		"several hubs": {"--browser-url", c.browserURL()},
	} {
		t.Run(where, func(t *testing.T) {
			start := func(more string) (h *rawHub, listed string) {
				h = startRaw(t, append(slices.Clone(flags), strings.Fields(more)...)...)
				h.initialize()
				return h, string(h.ask("tools/list", nil).Result)
			}
			owner, listed := start("--automation=" + most)
			hasBrowserTools(t, "the owner", listed, "click", "navigate_page")
			owner.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}}) // it has its Chrome
			for _, s := range []struct {
				more, says string
				own        []string
			}{
				{"", "", nil},
				{"--automation=debugging", "", []string{"evaluate_script", "take_snapshot"}},
				{"--automation=" + most + " --exclusive-tabs", "--exclusive-tabs false, this one true", []string{"click", "navigate_page"}},
			} {
				guest, listed := start(s.more)
				if s.says == "" || where == "several hubs" {
					hasBrowserTools(t, s.more, listed, s.own...)
				}
				if slices.Contains(s.own, "take_snapshot") {
					got := guest.ask("tools/call", map[string]any{"name": "take_snapshot", "arguments": map[string]any{}})
					page := where == "one hub only" // the other Chrome has none open
					if got.Error != nil || page && strings.Contains(string(got.Result), `"isError":true`) {
						t.Errorf("take_snapshot answers %s %+v", got.Result, got.Error)
					}
				}
				if s.says == "" {
					owner.stderr.wait(t, fmt.Sprintf("another webmcp-hub joined\" process=%d", guest.cmd.Process.Pid))
				}
				if s.says == "" || where == "several hubs" {
					continue
				}
				hasBrowserTools(t, s.more, listed)
				for _, tool := range []string{"list_webmcp_tools", "list_tabs"} {
					got := string(guest.ask("tools/call", map[string]any{"name": tool, "arguments": map[string]any{}}).Result)
					if !strings.Contains(got, s.says) || !strings.Contains(got, fmt.Sprint(owner.cmd.Process.Pid)) {
						t.Errorf("%q: %s says %s", s.more, tool, got)
					}
				}
			}
			_, listed = start("--automation=navigation,input")
			hasBrowserTools(t, "the same in another order", listed, "click", "navigate_page")
		})
	}
}

// hasBrowserTools wants a list of tools to have these browser tools and, where one of their
// categories isn't wanted, none of that.
func hasBrowserTools(t *testing.T, who, listed string, want ...string) {
	t.Helper()
	for _, tool := range []string{"click", "navigate_page", "evaluate_script", "take_snapshot", "emulate", "list_network_requests"} {
		if is := strings.Contains(listed, `"name":"`+tool+`"`); is != slices.Contains(want, tool) {
			t.Errorf("%q lists %s: %v", who, tool, is)
		}
	}
}

// TestListenInEachConfiguration: clients whose configurations name one --listen share a hub. It is served there by
// whichever process has the hub.
func TestListenInEachConfiguration(t *testing.T) {
	t.Parallel()
	chromePath(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, token := l.Addr().String(), filepath.Join(t.TempDir(), "made", "token")
	l.Close()
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html"), "--listen", address, "--token-file", token, "--ui"}
	first := startRaw(t, flags...)
	first.initialize()
	first.searches()
	second := startRaw(t, flags...)
	second.initialize()
	second.searches()
	second.stderr.wait(t, `do nothing unless it takes over" flags="--listen --ui"`)
	for says, args := range map[string][]string{
		"do nothing unless your process takes over: --listen --ui\n":                                                             {"--user-data-dir", profile},
		fmt.Sprintf("note     a webmcp-hub runs with a Chrome that these flags don't name: process %d\n", first.cmd.Process.Pid): nil,
	} {
		if said, _, _ := runHub(t, append([]string{"doctor", "--listen", address, "--ui"}, args...)...); !strings.Contains(said, says) {
			t.Errorf("the doctor doesn't say %q: %s", says, said)
		}
	}
	served := func(by *rawHub) {
		t.Helper()
		secret, err := os.ReadFile(token)
		if err != nil {
			t.Fatal(err)
		}
		h := connectTo(t, "http://"+address+"/mcp", strings.TrimSpace(string(secret)), by.stderr)
		h.waitTool(toolName("0", "search"))
	}
	served(first)
	first.signal(syscall.SIGKILL)
	first.waitExit()
	second.stderr.wait(t, "MCP is served over HTTP")
	second.searches()
	served(second)
}

// TestTheNextHubListensThere: a hub that has no --listen of its own serves HTTP where the owner before did, for the
// clients that know that address and that owner's token.
func TestTheNextHubListensThere(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	token := filepath.Join(t.TempDir(), "token")
	first := startRaw(t, "--browser-url", c.browserURL(), "--listen", "127.0.0.1:0", "--token-file", token)
	first.initialize()
	first.call("open_tab", map[string]any{"url": pages.url("shop.html")})
	first.searches()
	first.stderr.wait(t, "MCP is served over HTTP\"")
	address := regexp.MustCompile(`url=http://([0-9.:]+)/mcp`).FindStringSubmatch(first.stderr.String())
	if address == nil {
		t.Fatal("the log has no address")
	}
	second, third := startRaw(t, "--browser-url", c.browserURL()), startRaw(t, "--browser-url", c.browserURL())
	hubs := []*rawHub{first, second, third}
	defer func() { // any may own the hub and wait for the others
		for _, h := range hubs {
			_ = h.stdin.Close()
		}
	}()
	for _, h := range hubs[1:] {
		h.initialize()
		h.searches()
	}
	for owner := first; len(hubs) > 1; {
		hubs = slices.DeleteFunc(hubs, func(h *rawHub) bool { return h == owner })
		for _, h := range hubs {
			poll(t, "the guest isn't told where its owner listens", func() bool {
				log := h.stderr.String()
				return strings.Contains(log[strings.LastIndex(log, "joined the webmcp-hub"):], "Listen")
			})
		}
		owner.signal(syscall.SIGKILL)
		owner.waitExit()
		poll(t, "no other hub takes over", func() bool {
			i := slices.IndexFunc(hubs, func(h *rawHub) bool { return strings.Contains(h.stderr.String(), "this process takes its place") })
			if i >= 0 {
				owner = hubs[i]
			}
			return i >= 0
		})
		owner.stderr.wait(t, `"MCP is served over HTTP" url=http://`+address[1]+"/mcp")
		secret, err := os.ReadFile(token)
		if err != nil {
			t.Fatal(err)
		}
		h := connectTo(t, "http://"+address[1]+"/mcp", strings.TrimSpace(string(secret)), owner.stderr)
		h.waitTool(toolName("0", "search"))
	}
}

// TestAServerThatIsEndedLeavesItsPort: a hub over HTTP only that its user ends can be started again, though another
// process has taken its hub over.
func TestAServerThatIsEndedLeavesItsPort(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	token := filepath.Join(t.TempDir(), "token")
	serves := func(address string) *rawHub {
		return startRaw(t, "--browser-url", c.browserURL(), "--no-stdio", "--listen", address, "--token-file", token)
	}
	const said = `"MCP is served over HTTP" url=http://`
	first := serves("127.0.0.1:0")
	first.stderr.wait(t, said)
	address := regexp.MustCompile(`url=http://([0-9.:]+)/mcp`).FindStringSubmatch(first.stderr.String())
	second := startRaw(t, "--browser-url", c.browserURL())
	second.initialize()
	second.stderr.wait(t, "joined the webmcp-hub")
	second.stderr.wait(t, "Listen")
	first.signal(syscall.SIGTERM)
	if code := first.waitExit(); code != 0 {
		t.Errorf("the first ends with %d", code)
	}
	second.stderr.wait(t, "this process takes its place")
	second.call("list_tabs", map[string]any{})
	third := serves(address[1])
	third.stderr.wait(t, said+address[1])
	if strings.Contains(second.stderr.String(), said) {
		t.Error("the process that took over serves there too")
	}
	third.signal(syscall.SIGTERM)
	third.waitExit()
}
