package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/share"
	"webmcphub/registry"
)

// sharingOf says whom a command line's hub is shared with.
func sharingOf(t *testing.T, args ...string) share.Options {
	t.Helper()
	c, err := parse(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Serve.sharing()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWhoSharesAChrome(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"two on the hub's own profile", "", "--launch", true},
		{"one profile by two names", "--user-data-dir " + dir, "--user-data-dir " + link, true},
		{"two profiles", "--user-data-dir " + dir, "", false},
		{"other flags, to be told apart at the door", "--mode all", "--max-pages 3", true},
		{"logs don't matter", "--log-level debug", "--log-file " + filepath.Join(dir, "log"), true},
		{"one browser", "--browser-url http://127.0.0.1:9222", "--browser-url HTTP://127.0.0.1:9222/", true},
		{"two browsers", "--browser-url http://127.0.0.1:9222", "--browser-url http://127.0.0.1:9223", false},
		{"several browsers, in another order", "--browser-url http://127.0.0.1:1 --browser-url http://127.0.0.1:2", "--browser-url http://127.0.0.1:2/ --browser-url http://127.0.0.1:1", true},
		{"several browsers, and one of them", "--browser-url http://127.0.0.1:1 --browser-url http://127.0.0.1:2", "--browser-url http://127.0.0.1:1", false},
		{"the user's Chrome", "--auto-connect", "--auto-connect", true},
		{"the user's Chrome, of two channels", "--auto-connect", "--auto-connect --channel beta", false},
		{"the user's Chrome, or ours", "--auto-connect", "", false},
		{"a client that connects itself reaches the user's Chrome first", "--mode focus", "", false},
		{"unless it's told not to", "--mode focus --launch", "", true},
		{"a grid", "--grid http://127.0.0.1:4444", "--grid http://localhost:4444/", true},
		{"a grid, and browsers of another kind there", "--grid http://h:4444", "--grid http://h:4444 --grid-label zone:name=eu", false},
		{"a grid, and more of it", "--grid http://h:4444", "--grid http://h:4444 --browser-url http://127.0.0.1:1", false},
		{"an endpoint, as two users of it", "--ws-endpoint ws://h/x --ws-header A:b", "--ws-endpoint ws://h/x --ws-header A:c", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := sharingOf(t, strings.Fields(c.a)...), sharingOf(t, strings.Fields(c.b)...)
			if a.Off || b.Off || a.Key == "" || (a.Key == b.Key) != c.same {
				t.Errorf("got %q and %q", a.Key, b.Key)
			}
		})
	}
	for _, args := range []string{"--isolated", "--no-share", "--no-share --browser-url http://127.0.0.1:1"} {
		if !sharingOf(t, strings.Fields(args)...).Off {
			t.Errorf("%s shares", args)
		}
	}
}

// TestWhatMustBeTheSame: every flag that is about the hub itself.
func TestWhatMustBeTheSame(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	usual := sharingOf(t, "--headless")
	for _, args := range []string{
		"--explicit-connect", "--introspect", "--page-index stable", "--max-pages 3", "--no-page-requests", "--page-requests always", "--page-roots", "--page-hints none", "--settle 1s", "--rate-client 5", "--rate-origin 5", "--rate-tool 5", "--rate-registrations 5",
		"--exclusive-tabs",
		"--no-headless", "--channel beta", "--chrome-arg=--lang=de", "--executable-path /x",
	} {
		o := sharingOf(t, append([]string{"--headless"}, strings.Fields(args)...)[strings.Count(args, "--no-headless"):]...)
		flag, _, _ := strings.Cut(strings.Replace(strings.Fields(args)[0], "--no-", "--", 1), "=")
		i := slices.IndexFunc(o.Settings, func(s share.Setting) bool { return s.Name == flag })
		if i < 0 || o.Settings[i] == usual.Settings[i] {
			t.Errorf("%s is not among what must be the same: %v", flag, o.Settings)
		}
	}
	if o := sharingOf(t, "--browser-url", "http://127.0.0.1:9222"); !o.ManyHubs || o.OwnerOnly != "" {
		t.Errorf("got %+v", o)
	}
	if o := sharingOf(t, "--listen", "8808"); o.ManyHubs || o.OwnerOnly != "" {
		t.Errorf("got %+v", o)
	}
	if o := sharingOf(t, "--listen", "8808", "--no-stdio"); o.ManyHubs || o.OwnerOnly == "" {
		t.Errorf("got %+v", o)
	}
}

// TestRulesOfTheOwner: a process that sets no rules may join an owner that does, but not the other way round.
func TestRulesOfTheOwner(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	var names []string
	for _, group := range sharingOf(t).Rules {
		names = append(names, group...)
	}
	for _, args := range []string{
		"--policy-preset safe", "--deny *", "--policy f", "--allow-origin https://a.example", "--deny-origin https://a.example",
		"--flow enforce", "--pins hold", "--rate-client 1", "--exclusive-tabs", "--spotlight",
	} {
		usual, differs := sharingOf(t).Settings, 0
		for i, s := range sharingOf(t, strings.Fields(args)...).Settings {
			if s == usual[i] {
				continue
			}
			if differs++; !slices.Contains(names, s.Name) {
				t.Errorf("%s: %s is no rule", args, s.Name)
			}
		}
		if differs == 0 {
			t.Errorf("a process with %s may join an owner without", args)
		}
	}
}

// TestOrderOfCategories: browser tools that are the same share a hub, however they are named.
func TestOrderOfCategories(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	for one, other := range map[string]string{
		"input,navigation": "navigation,input,webmcp,input",
		"all":              "debugging,network,performance,emulation,navigation,input",
	} {
		if a, b := sharingOf(t, "--automation="+one), sharingOf(t, "--automation="+other); !slices.Equal(a.Settings, b.Settings) {
			t.Errorf("%s: %v, %s: %v", one, a.Settings, other, b.Settings)
		}
	}
}

// TestWhatIsTheClientsOwn: flags about what a client sees keep nobody from
// joining, and reach the owner as they were given.
func TestWhatIsTheClientsOwn(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	ownFlags, err := parse(t, "--max-tool-name=50", "--automation=network")
	if err != nil {
		t.Fatal(err)
	}
	owner := newOwnHub(&ownFlags.Serve, nil, nil, nil)
	usual := sharingOf(t, "--headless")
	for _, args := range []string{
		"--automation", "--automation=input,network", "--mode focus --launch --follow-user-focus", "--call-timeout 5s", "--max-tool-name 40", "--list-page-size 9", "--max-result-tokens 1000", "--disable-webmcp-auto-register",
	} {
		o := sharingOf(t, append([]string{"--headless"}, strings.Fields(args)...)...)
		if o.Key != usual.Key || !slices.Equal(o.Settings, usual.Settings) {
			t.Errorf("%s: %q %v, without it %q %v", args, o.Key, o.Settings, usual.Key, usual.Settings)
		}
		c, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		raw := newOwnHub(&c.Serve, nil, nil, nil).viewJSON()
		view, err := owner.readView(raw)
		if err != nil || view != c.Serve.view() || view == (defaultHubFlags().view()) {
			t.Errorf("%s: %s is read as %+v, %v", args, raw, view, err)
		}
	}
	for _, bad := range []string{``, `[]`, `{"mode":"all","callTimeout":1,"maxName":1}`, `{"mode":3}`, `{"mode":""}`, `{"automation":"flying"}`} {
		if owner.checkView([]byte(bad)) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	for raw, want := range map[string]string{
		`{}`: "network", `{"automation":""}`: "", `{"automation":"navigation,input"}`: "input,navigation",
	} {
		if view, err := owner.readView([]byte(raw)); err != nil || view.Automation != want {
			t.Errorf("with the view %s a client has the browser tools %q, %v", raw, view.Automation, err)
		}
	}
	// A visitor says what it wants otherwise than the owner's client.
	for _, raw := range []json.RawMessage{nil, visitorsView(7 * time.Second)} {
		want := ownFlags.Serve.view()
		if raw != nil {
			want.CallTimeout, want.MaxResult = 7*time.Second, 0
		}
		if view, err := owner.readView(raw); err != nil || view != want {
			t.Errorf("%s is read as %+v, %v", raw, view, err)
		}
	}
}

// TestWhoServesHTTPClientsOn: the process that takes over serves the previous owner's clients over HTTP only if it
// would have let them do the same. One that doesn't leaves it to the next.
func TestWhoServesHTTPClientsOn(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	hub := func(args string) *ownHub {
		c, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		c.Serve.serveOptions = c.Serve.withSafe()
		sharing, err := c.Serve.sharing()
		if err != nil {
			t.Fatal(err)
		}
		o := newOwnHub(&c.Serve, nil, nil, slog.New(slog.DiscardHandler))
		o.terms, o.handoff = c.Serve.terms(sharing.Settings), &Handoff{Changed: func() {}}
		return o
	}
	for _, c := range []struct {
		owner, successor string
		serves           bool
	}{
		{"--safe --automation", "--safe --automation", true},
		{"--safe --automation=input,navigation", "--policy-preset=safe --flow=ask --pins=hold --automation=navigation,input", true},
		{"--mode=all", "--surface=static", true},
		{"--safe", "", false},
		{"", "--automation", false},
		{"--automation --exclusive-tabs", "--automation", false},
		{"--safe", "--automation", false},
	} {
		owner, successor := hub(c.owner+" --listen 127.0.0.1:8808"), hub(c.successor)
		owner.servesHTTP(owner.serve.Web)
		left := owner.handoff.State()
		successor.handoff.Restore(left, true)
		if got := successor.overHTTP(share.Owner{Previous: left}); (got.Listen != "") != c.serves {
			t.Errorf("after %q, %q serves at %q", c.owner, c.successor, got.Listen)
		}
		if got := ServedOverHTTP(successor.handoff.State()); !strings.Contains(string(got), "8808") {
			t.Errorf("after %q, %q leaves %s", c.owner, c.successor, got)
		}
	}
	if got := hub("").overHTTP(share.Owner{Previous: []byte(`{"http":{"Listen":"127.0.0.1:8808","Stdio":true,"Token":true}}`)}); got.Listen != "" {
		t.Errorf("after one that doesn't say its terms it serves at %s", got.Listen)
	}
}

// TestAHubLeavesWhatThePreviousLeft: a hub that ends soon after it took over leaves what it was left itself: how MCP is
// served over HTTP, although the port isn't open yet, and the tabs whose clients have not come back. It serves
// others before the browser has answered its own client.
func TestAHubLeavesWhatThePreviousLeft(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	listen := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l.Addr().String()
	}
	mute, taken := listen(), listen() // a browser that doesn't answer, and another program's port
	c, err := parse(t, "--browser-url", "http://"+mute)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	o := newOwnHub(&c.Serve, func(err error) { t.Error(err) }, func() bool { return false }, slog.New(slog.DiscardHandler))
	o.terms = "as before"
	begun := time.Now()
	hub, err := o.start(ctx, nil, share.Owner{
		Previous:     []byte(`{"tabs":["https://shop.example/"],"before":{"last":3},"kept":["P"],"http":{"Listen":"` + taken + `","Token":true,"terms":"as before"}}`),
		Place:        []byte(`{"connected":true}`),
		StateChanged: func() {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > connectTime/2 {
		t.Errorf("it took %v until others can be served", took)
	}
	left := o.State()
	if got := KeptTabs(left); !slices.Equal(got, []registry.PageID{"P"}) {
		t.Errorf("it leaves the kept tabs %v", got)
	}
	if got := ServedOverHTTP(left); !strings.Contains(string(got), taken) {
		t.Errorf("it leaves %s of HTTP", got)
	}
	end()
	hub.Stop(false)
}
