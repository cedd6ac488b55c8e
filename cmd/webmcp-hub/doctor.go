package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// oldestWebMCP is the first Chrome whose WebMCP the hub can read natively:
// document.modelContext came with 150, and its CDP domain settled by then.
const oldestWebMCP = 150

// doctorCmd says what is missing, and the remedy. Its flags are serve's, so that
// it looks at what serve would do with them, and with the same settings.
type doctorCmd struct {
	BrowserURL     string `name:"browser-url" placeholder:"URL" help:"Also look at the Chrome that listens here."`
	ExecutablePath string `type:"path" placeholder:"FILE" help:"Look at this Chrome."`
	Channel        string `enum:",stable,beta,dev,canary,chromium" default:"" placeholder:"CHANNEL" help:"Look at the Chrome of this channel."`
	UserDataDir    string `type:"path" placeholder:"DIR" help:"Look at this profile. Default: the hub's own."`

	Extension     bool   `help:"Look at what --extension needs."`
	ExtensionPort int    `default:"${extensionPort}" placeholder:"PORT" help:"The port of --extension."`
	Listen        string `placeholder:"ADDR" help:"Look at whether MCP can be served over HTTP here."`
	TokenFile     string `type:"path" placeholder:"FILE" help:"The file with the token of HTTP clients. Default: the hub's own."`
	AuditLog      string `type:"path" placeholder:"FILE" help:"Look at whether this audit log can be written."`
	LogFile       string `type:"path" placeholder:"FILE" help:"Look at whether this log can be written."`
}

// finding is one line of the doctor's report.
type finding struct {
	good   bool
	note   bool // it's neither good nor bad
	text   string
	remedy string // what to do, if not good
}

// well is a finding that needs no remedy.
func well(format string, args ...any) finding {
	return finding{good: true, text: fmt.Sprintf(format, args...)}
}

// note is a finding that is neither good nor bad.
func note(text string) finding { return finding{note: true, text: text} }

// Validate is called by the parser.
func (c *doctorCmd) Validate() error {
	if c.BrowserURL != "" {
		if err := checkURL("--browser-url", c.BrowserURL, "http", "https"); err != nil {
			return usage(err)
		}
	}
	if c.Listen != "" {
		if _, _, err := listenAddress(c.Listen); err != nil {
			return usage(err)
		}
	}
	return usage(extensionFlags{Extension: true, ExtensionPort: c.ExtensionPort}.validate())
}

func (c *doctorCmd) Run() error {
	ctx, cancel := untilSignal(time.Minute)
	defer cancel()
	findings := []finding{display()}
	findings = append(findings, c.local(ctx)...)
	findings = append(findings, c.launchable(ctx)...)
	if c.BrowserURL != "" {
		findings = append(findings, attachable(ctx, c.BrowserURL)...)
	}
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return errInterrupted
	}
	if !report(os.Stdout, findings) {
		return exitCode(1)
	}
	return nil
}

func report(w io.Writer, findings []finding) (well bool) {
	well = true
	for _, f := range findings {
		switch {
		case f.good:
			fmt.Fprintln(w, "ok      ", f.text)
			continue
		case f.note:
			fmt.Fprintln(w, "note    ", f.text)
			continue
		}
		well = false
		fmt.Fprintln(w, "missing ", f.text)
		fmt.Fprintln(w, "         remedy:", f.remedy)
	}
	return well
}

func display() finding {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return finding{good: true, text: "there is no display: Chrome will be started headless"}
	}
	return finding{good: true, text: "there is a display: Chrome will be started with a window"}
}

// launchable finds and starts a Chrome as the hub would, and looks at a page in
// it. Where the hub is to attach to another one, none needs to be here.
func (c *doctorCmd) launchable(ctx context.Context) []finding {
	path, err := c.findChrome()
	switch {
	case err != nil && c.BrowserURL != "" && c.ExecutablePath == "" && c.Channel == "":
		return []finding{note("no Chrome was found that the hub could start; to attach to one it needs none")}
	case err != nil:
		return []finding{{text: err.Error(), remedy: installHint(runtime.GOOS, c.Channel)}}
	}
	findings := []finding{well("Chrome is at %s", path)}
	if runtime.GOOS != "windows" && os.Geteuid() == 0 {
		findings = append(findings, well("you are root: Chrome will be started with --no-sandbox"))
	}
	chrome, err := launch.Start(ctx, launch.Options{ExecutablePath: path, Headless: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(findings, finding{text: "Chrome does not start: " + err.Error(), remedy: "run it by hand to see what it says, or name another by --executable-path"})
	}
	defer chrome.Close()
	findings = append(findings, well("Chrome starts: %s", chrome.Version.Product))
	return append(findings, chromeVersion(chrome.Version.Product), webmcp(ctx, chrome.Wire, "update it, or name another by --executable-path or --channel"))
}

// findChrome is the Chrome that the flags name, if it's there.
func (c *doctorCmd) findChrome() (string, error) {
	if c.ExecutablePath == "" {
		return launch.Find(c.Channel)
	}
	path, err := exec.LookPath(c.ExecutablePath)
	if err != nil {
		return "", fmt.Errorf("there is no Chrome that can be run at %s (%w)", c.ExecutablePath, err)
	}
	return path, nil
}

// attachable looks at a running Chrome.
func attachable(ctx context.Context, browserURL string) []finding {
	ws, err := cdpclient.BrowserWebSocketURL(ctx, browserURL)
	if err != nil {
		return []finding{{text: err.Error(), remedy: "start Chrome with " + cdpclient.DebuggingFlags(browserURL)}}
	}
	wire, err := cdpclient.DialWebSocket(ctx, ws, nil)
	if err != nil {
		return []finding{{text: err.Error(), remedy: "start Chrome with --remote-allow-origins=* if a proxy stands between, or attach from this machine"}}
	}
	defer wire.Close()
	return []finding{well("Chrome listens at %s", browserURL), webmcp(ctx, wire, "start it with "+cdpclient.DebuggingFlags(browserURL)+", or switch on chrome://flags/#enable-webmcp-testing; pages with @mcp-b/global work without")}
}

func chromeVersion(product string) finding {
	_, v, _ := strings.Cut(product, "/")
	major, _ := strconv.Atoi(strings.SplitN(v, ".", 2)[0])
	if major < oldestWebMCP {
		return finding{text: fmt.Sprintf("%s is older than %d, the first with the WebMCP that the hub reads", product, oldestWebMCP), remedy: "update Chrome; until then only pages with @mcp-b/global have tools"}
	}
	return finding{good: true, text: "its version has WebMCP"}
}

// webmcp tries whether a page gets document.modelContext. A file: address is
// a secure context, as WebMCP demands. remedy is what to do if it doesn't.
func webmcp(ctx context.Context, wire cdpclient.Wire, remedy string) finding {
	conn := cdpclient.NewConn(wire, func(cdpclient.Message) {})
	defer conn.Close()
	on, err := hasWebMCP(ctx, conn)
	switch {
	case err != nil:
		return finding{text: "a page could not be looked at: " + err.Error(), remedy: "try again with --browser-url of a Chrome that answers"}
	case !on:
		return finding{text: "WebMCP is switched off in this Chrome", remedy: remedy}
	}
	return finding{good: true, text: "WebMCP is switched on"}
}

func hasWebMCP(ctx context.Context, conn *cdpclient.Conn) (bool, error) {
	var target cdpclient.CreateTargetResult
	if err := conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": "file:///", "background": true}, &target); err != nil {
		return false, err
	}
	defer func() {
		_ = conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": target.TargetID}, nil)
	}()
	var attached struct{ SessionID cdpclient.SessionID }
	if err := conn.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return false, err
	}
	var result cdpclient.EvaluateResult
	// The document may still be the empty one, which has no WebMCP.
	expression := `new Promise(done => { const look = () => location.protocol === "file:" && document.readyState === "complete" ? done(typeof document.modelContext) : setTimeout(look, 20); look(); })`
	if err := conn.Call(ctx, attached.SessionID, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: expression, AwaitPromise: true, ReturnByValue: true}, &result); err != nil {
		return false, err
	}
	return string(result.Result.Value) == `"object"`, nil
}

// installHint is how a Chrome of a channel is installed on a system.
func installHint(system, channel string) string {
	const or = " (or give its path by --executable-path)"
	switch {
	case system == "linux" && (channel == "" || channel == "chromium"):
		return "install one, on Debian or Ubuntu by: sudo apt-get install chromium" + or
	case system == "darwin" && channel == "chromium":
		return "install it, with Homebrew by: brew install --cask chromium" + or
	case system == "darwin" && (channel == "" || channel == "stable"):
		return "install it, with Homebrew by: brew install --cask google-chrome" + or
	case system == "darwin":
		return "install it, with Homebrew by: brew install --cask google-chrome@" + channel + or
	case channel == "chromium":
		return "install Chromium from https://www.chromium.org/getting-involved/download-chromium/" + or
	case channel == "" || channel == "stable":
		return "install Google Chrome from https://www.google.com/chrome/" + or
	}
	return "install Chrome " + channel + " from https://www.google.com/chrome/" + channel + "/" + or
}
