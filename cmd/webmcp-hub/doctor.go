package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"webmcphub/cdpclient"
)

// oldestWebMCP is the first Chrome whose WebMCP the hub can read natively:
// document.modelContext came with 150, and its CDP domain settled by then.
const oldestWebMCP = 150

// doctorCmd says what is missing, and the remedy.
type doctorCmd struct {
	BrowserURL     string `name:"browser-url" placeholder:"URL" help:"Also look at the Chrome that listens here."`
	ExecutablePath string `type:"path" placeholder:"FILE" help:"Look at this Chrome."`
	Channel        string `enum:",stable,beta,dev,canary,chromium" default:"" help:"Look at the Chrome of this channel."`
}

// finding is one line of the doctor's report.
type finding struct {
	good   bool
	text   string
	remedy string // what to do, if not good
}

// Validate is called by the parser.
func (c *doctorCmd) Validate() error {
	if c.BrowserURL == "" {
		return nil
	}
	return usage(checkURL("--browser-url", c.BrowserURL, "http", "https"))
}

func (c *doctorCmd) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	findings := []finding{display()}
	if c.BrowserURL != "" {
		findings = append(findings, attachable(ctx, c.BrowserURL)...)
	} else {
		findings = append(findings, c.launchable(ctx)...)
	}
	if !report(os.Stdout, findings) {
		return exitCode(1)
	}
	return nil
}

func report(w io.Writer, findings []finding) (well bool) {
	well = true
	for _, f := range findings {
		if f.good {
			fmt.Fprintln(w, "ok      ", f.text)
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

// launchable finds and starts a Chrome as the hub would, and looks at a page in it.
func (c *doctorCmd) launchable(ctx context.Context) []finding {
	path := c.ExecutablePath
	if path == "" {
		var err error
		if path, err = cdpclient.FindChrome(c.Channel); err != nil {
			return []finding{{text: err.Error(), remedy: installHint()}}
		}
	}
	findings := []finding{{good: true, text: "Chrome is at " + path}}
	if runtime.GOOS != "windows" && os.Geteuid() == 0 {
		findings = append(findings, finding{good: true, text: "you are root: Chrome will be started with --no-sandbox"})
	}
	chrome, err := cdpclient.Launch(ctx, cdpclient.LaunchOptions{ExecutablePath: path, Headless: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(findings, finding{text: "Chrome does not start: " + err.Error(), remedy: "run it by hand to see what it says, or name another by --executable-path"})
	}
	defer chrome.Close()
	findings = append(findings, finding{good: true, text: "Chrome starts: " + chrome.Version.Product})
	return append(findings, chromeVersion(chrome.Version.Product), webmcp(ctx, chrome.Wire))
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
	return []finding{{good: true, text: "Chrome listens at " + browserURL}, webmcp(ctx, wire)}
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
// a secure context, as WebMCP demands.
func webmcp(ctx context.Context, wire cdpclient.Wire) finding {
	conn := cdpclient.NewConn(wire, func(cdpclient.Message) {})
	defer conn.Close()
	on, err := hasWebMCP(ctx, conn)
	switch {
	case err != nil:
		return finding{text: "a page could not be looked at: " + err.Error(), remedy: "try again with --browser-url of a Chrome that answers"}
	case !on:
		return finding{text: "WebMCP is switched off in this Chrome", remedy: "start it with --enable-features=WebMCP, or switch on chrome://flags/#enable-webmcp-testing; pages with @mcp-b/global work without"}
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

// installHint is the command that installs a Chrome on this system.
func installHint() string {
	switch runtime.GOOS {
	case "linux":
		return "install one, on Debian or Ubuntu by: sudo apt-get install chromium (or give its path by --executable-path)"
	case "darwin":
		return "install one, with Homebrew by: brew install --cask google-chrome"
	}
	return "install Google Chrome, or give its path by --executable-path"
}
