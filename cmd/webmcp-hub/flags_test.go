package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/mcpserver"
	"webmcphub/registry/names"
)

// parse reads a command line as run does.
func parse(t *testing.T, args ...string) (*cli, error) {
	t.Helper()
	var c cli
	_, err := parseArgs(&c, args)
	return &c, err
}

// TestServeAlone checks that a command line means the same to the parser of serve alone as to that of all commands.
func TestServeAlone(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(settings, []byte("max-pages: 7\nfail-on: error\n"), 0o600); err != nil { // fail-on is a flag of check
		t.Fatal(err)
	}
	t.Setenv("WEBMCP_HUB_MODE", "focus")
	for _, args := range [][]string{
		{},
		{"serve"},
		{"serve", "--ws-endpoint", "ws://127.0.0.1:1", "--automation", "--no-share"},
		{"--automation=input", "--config", settings},
		{"--config", settings, "serve"},
		{"--config", settings, "tools", "--json"},
		{"--automation", "tools"},
		{"--max-pages", "3", "version"},
		{"serve", "tools"},
		{"--safe", "nonsense"},
		{"tools"},
	} {
		var all cli
		parser, err := newParser(&all)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := parser.Parse(args)
		var c cli
		got, err := parseArgs(&c, args)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(c.serving, all.serving) {
			t.Errorf("%q: got %v, want %v\n%+v\n%+v", args, err, wantErr, c.serving, all.serving)
		}
		if err == nil && got.Command() != want.Command() {
			t.Errorf("%q is for %q, want %q", args, got.Command(), want.Command())
		}
	}
}

func newTestFlags() (chromeFlags, hubFlags) { return chromeFlags{}, defaultHubFlags() }

func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	c, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Serve.hubFlags, defaultHubFlags(); got != want {
		t.Errorf("serve's defaults are %+v, those of the other commands %+v", got, want)
	}
	if c.Serve.CallTimeout != mcpserver.DefaultCallTimeout || c.Serve.NotifyInterval != actors.DefaultNotifyInterval || c.Serve.MaxToolName != names.DefaultMaxName {
		t.Errorf("got %+v", c.Serve.hubFlags)
	}
	if !c.Serve.launches() || c.Serve.Headless != nil {
		t.Errorf("got %+v", c.Serve.chromeFlags)
	}
}

func TestFlagsThatKongRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"--bogus"},
		{"nonsense"},
		{"--browser-url", "http://127.0.0.1:1", "--auto-connect"}, // one way to Chrome only
		{"--launch", "--ws-endpoint", "ws://127.0.0.1:1"},
		{"--grid", "http://127.0.0.1:4444", "--auto-connect"},
		{"--grid", "http://127.0.0.1:4444", "--launch"},
		{"--grid", "http://127.0.0.1:4444", "--isolated"},
		{"--grid", "127.0.0.1:4444"},
		{"--grid-label", "zone:name=eu"},
		{"--otlp-header", "A: b"},
		{"--otlp-endpoint", "127.0.0.1:4318"},
		{"tools", "--hub=1", "--browser-url", "http://127.0.0.1:1"},
		{"tools", "--auto-connect", "--ws-endpoint", "ws://127.0.0.1:1"},
		{"--channel", "nightly"},
		{"--page-index", "random"},
		{"--log-level", "loud"},
		{"--call-timeout", "soon"},
		{"call"},
	} {
		if _, err := parse(t, args...); err == nil {
			t.Errorf("%q was accepted", args)
		}
		if code := run(args); code != 2 {
			t.Errorf("%q ends with %d", args, code)
		}
	}
}

func TestFlagsThatContradictEachOther(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name   string
		change func(*chromeFlags, *hubFlags)
		want   string
	}{
		{"a throw-away profile in a place", func(c *chromeFlags, _ *hubFlags) { c.Isolated, c.UserDataDir = true, "x" }, "--isolated and --user-data-dir"},
		{"a header for no endpoint", func(c *chromeFlags, _ *hubFlags) { c.WSHeader = []string{"A: b"} }, "--ws-header goes with"},
		{"no URL", func(c *chromeFlags, _ *hubFlags) { c.BrowserURL = []string{"127.0.0.1:9222"} }, "begins with http://"},
		{"a websocket where HTTP belongs", func(c *chromeFlags, _ *hubFlags) { c.BrowserURL = []string{"ws://127.0.0.1:9222"} }, "begins with http://"},
		{"HTTP where a websocket belongs", func(c *chromeFlags, _ *hubFlags) { c.WSEndpoint = []string{"http://127.0.0.1:9222"} }, "begins with ws://"},
		{"an attached Chrome without a window", func(c *chromeFlags, _ *hubFlags) { c.BrowserURL, c.Headless = []string{"http://127.0.0.1:9222"}, &yes }, "that the hub starts"},
		{"a profile for an attached Chrome", func(c *chromeFlags, _ *hubFlags) {
			c.BrowserURL, c.UserDataDir = []string{"http://127.0.0.1:9222"}, "x"
		}, "--auto-connect"},
		{"a Chrome of the hub's own beside others", func(c *chromeFlags, _ *hubFlags) {
			c.BrowserURL, c.Launch = []string{"http://127.0.0.1:1", "http://127.0.0.1:2"}, &yes
		}, "can't be used together"},
		{"a header for one of several", func(c *chromeFlags, _ *hubFlags) {
			c.WSEndpoint, c.WSHeader = []string{"ws://127.0.0.1:1/a", "ws://127.0.0.1:1/b"}, []string{"A: b"}
		}, "--ws-header goes with one"},
		{"one browser twice", func(c *chromeFlags, _ *hubFlags) {
			c.BrowserURL = []string{"http://127.0.0.1:1", "http://127.0.0.1:1/"}
		}, "given twice"},
		{"no time", func(_ *chromeFlags, h *hubFlags) { h.CallTimeout = 0 }, "--call-timeout"},
		{"names too short to tell apart", func(_ *chromeFlags, h *hubFlags) { h.MaxToolName = 10 }, "--max-tool-name must be from 32"},
		{"a busy loop", func(_ *chromeFlags, h *hubFlags) { h.NotifyInterval = time.Microsecond }, "--notify-interval"},
		{"a focus to follow where there is none", func(_ *chromeFlags, h *hubFlags) { h.FollowUserFocus = true }, "--follow-user-focus goes with --mode=focus"},
		{"pages of less than nothing", func(_ *chromeFlags, h *hubFlags) { h.ListPageSize = -1 }, "--list-page-size"},
		{"names that nobody sees", func(_ *chromeFlags, h *hubFlags) { h.Naming, h.Mode = "mcpb", "focus" }, "--naming=mcpb goes with --mode=all"},
		{"questions that are asked always and never", func(_ *chromeFlags, h *hubFlags) { h.NoPageRequests, h.PageRequests = true, "always" }, "contradict"},
		{"roots for pages that may not ask", func(_ *chromeFlags, h *hubFlags) { h.PageRequests, h.PageRoots = "none", true }, "--page-roots"},
		{"no tools", func(_ *chromeFlags, h *hubFlags) { h.MaxToolsPerPage = 0 }, "--max-tools-per-page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chrome, hub := newTestFlags()
			c.change(&chrome, &hub)
			err := chrome.validate()
			if err == nil {
				err = hub.validate()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %s", err, c.want)
			}
		})
	}
}

// TestNoLaunch: no way is left to a Chrome of the hub's own.
func TestNoLaunch(t *testing.T) {
	for _, args := range []string{"--no-launch", "--launch=false", "--no-launch --mode=focus", "--no-launch --extension", "--no-launch --auto-connect", "--no-launch --browser-url=http://127.0.0.1:1"} {
		c, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		s := c.Serve
		dialer, launcher, err := s.dialerAndLauncher(s.onRequest(), &OwnedChrome{}, slog.New(slog.DiscardHandler))
		if err != nil || dialer == nil || launcher != nil || s.launches() {
			t.Errorf("%s: %v, %v, %v", args, dialer, launcher, err)
		}
		if attaches := strings.Count(args, "--") > 1 && !strings.Contains(args, "mode") && !strings.Contains(args, "extension"); s.onRequest() == attaches {
			t.Errorf("%s reaches for Chrome on request: %v", args, s.onRequest())
		}
	}
}

// TestSeveralBrowsersFromSettings: a file of settings has lists, of both kinds; a stronger
// place that names browsers displaces all of them.
func TestSeveralBrowsersFromSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("browser-url: [http://127.0.0.1:1, http://127.0.0.1:2]\nws-endpoint: ws://127.0.0.1:3/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(envPrefix+"_CONFIG", file)
	for args, want := range map[string]int{"serve": 3, "tools": 3, "serve --browser-url=http://127.0.0.1:9": 1, "serve --browser-url=http://127.0.0.1:9 --ws-endpoint=ws://127.0.0.1:8": 2, "serve --auto-connect": 0} {
		c, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(args, err)
		}
		at := c.Serve.endpoints()
		if strings.HasPrefix(args, "tools") {
			at = c.Tools.chrome().endpoints()
		}
		if len(at) != want {
			t.Errorf("%s names %+v", args, at)
		}
	}
	if c, err := parse(t, "doctor"); err != nil || len(c.Doctor.BrowserURL) != 2 {
		t.Errorf("doctor looks at %q, %v", c.Doctor.BrowserURL, err)
	}
}

// TestDoctorLooksForServesHub: the doctor looks for the hub that serve would share by the same flags and settings,
// which include those that the doctor doesn't have.
func TestDoctorLooksForServesHub(t *testing.T) {
	dir := t.TempDir()
	settings := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "--config=" + file
	}
	keys := map[string]string{}
	for what, args := range map[string][]string{
		"launch": {"--user-data-dir", dir}, "extension": {"--extension", "--user-data-dir", dir},
		"url": {"--browser-url=http://127.0.0.1:9"}, "focus": {settings("focus", "mode: focus"), "--user-data-dir", dir},
		"auto": {settings("auto", "auto-connect: true"), "--user-data-dir", dir}, "socket": {settings("socket", "ws-endpoint: [ws://127.0.0.1:8/]")},
	} {
		c, err := parse(t, append([]string{"serve"}, args...)...)
		if err != nil {
			t.Fatal(what, err)
		}
		want, err := c.Serve.sharing()
		if err != nil {
			t.Fatal(what, err)
		}
		keys[what] = sharedBy(append([]string{"doctor"}, args...))
		if keys[what] == "" || keys[what] != want.Key {
			t.Errorf("%s: the doctor looks for %q, serve for %q", what, keys[what], want.Key)
		}
	}
	if keys["launch"] == keys["extension"] || keys["launch"] == keys["focus"] || keys["launch"] == keys["auto"] {
		t.Errorf("the keys are %q", keys)
	}
	missing := filepath.Join(dir, "missing")
	for _, args := range [][]string{{"--user-data-dir", missing}, {settings("alone", "share: false"), "--user-data-dir", dir}} {
		if key := sharedBy(append([]string{"doctor"}, args...)); key != "" {
			t.Errorf("%q: the doctor looks for %q", args, key)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the doctor made a profile")
	}
}

func TestLogFileIsPrivateAndAppendedTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.log")
	for range 2 {
		log, closeLog, err := logFlags{LogLevel: "warn", LogFile: path}.logger(os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("not this")
		log.Warn("but this")
		closeLog()
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "but this") != 2 || strings.Contains(string(text), "not this") {
		t.Errorf("the log is %s", text)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, _, err := (logFlags{LogLevel: "info", LogFile: filepath.Join(path, "x")}).logger(os.Stderr); err == nil {
		t.Error("a log file that can't be opened was accepted")
	}
}

// Whose claims are believed is said in one way only.
func TestHintFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                                "",
		"--page-hints none":               "",
		"--page-hints trusted":            "needs at least one --trust-hints",
		"--trust-hints https://a.example": "--trust-hints goes with --page-hints=trusted only",
		"--page-hints trusted --trust-hints a.example":                                           "it has no scheme",
		"--page-hints trusted --trust-hints https://a.example --trust-hints https://*.b.example": "",
	} {
		if _, err := parse(t, strings.Fields(args)...); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestRegisteredDomain(t *testing.T) {
	for host, want := range map[string]string{
		"shop.example.com": "example.com", "example.com": "example.com", "a.b.example.co.uk": "example.co.uk", "co.uk": "", "com": "",
		"alice.github.io": "alice.github.io", "github.io": "", "localhost": "", "shop.test": "shop.test", "": "",
	} {
		if got := registeredDomain(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

// The check of pages has flags that are called like the hub's. What is set for the hub is
// not for it: it would call tools in the Chrome that the user is logged in with.
func TestCheckReadsNoSettingsOfTheHub(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("browser-url: http://127.0.0.1:9222\ncall-timeout: 120s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"CONFIG": file, "BROWSER_URL": "http://127.0.0.1:9223", "CALL_TIMEOUT": "90s", "CHANNEL": "beta"} {
		t.Setenv(envPrefix+"_"+name, value)
	}
	c, err := parse(t, "check", "--executable-path", "chromium", "http://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	if c.Check.BrowserURL != "" || c.Check.Timeout.CallTimeout != 10*time.Second || c.Check.Channel != "" {
		t.Errorf("the hub's settings are the check's: %+v, %+v", c.Check.Browser, c.Check.Timeout)
	}
	if c.Check.ExecutablePath != "chromium" {
		t.Errorf("the name of a program became %q", c.Check.ExecutablePath)
	}
}
