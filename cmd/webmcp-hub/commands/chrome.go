package commands

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/cmd/webmcp-hub/process"
)

// oldestWebMCP is the first Chrome whose WebMCP the hub can read natively:
// document.modelContext came with 150, and its CDP domain settled by then.
const oldestWebMCP = 150

func display() Finding {
	if !process.HasDisplay() {
		return Finding{good: true, text: "there is no display: Chrome will be started headless"}
	}
	return Finding{good: true, text: "there is a display: Chrome will be started with a window"}
}

// launchable finds and starts a Chrome as the hub would, and checks a page in it. If the hub is to attach to another
// one, Chrome need not be installed here.
func (l Doctor) launchable(ctx context.Context) []Finding {
	path, err := l.findChrome()
	switch {
	case err != nil && len(l.BrowserURLs) > 0 && l.ExecutablePath == "" && l.Channel == "":
		return []Finding{note("no Chrome was found that the hub could start; to attach to one it needs none")}
	case err != nil:
		return []Finding{{text: err.Error(), remedy: installHint(runtime.GOOS, l.Channel)}}
	}
	findings := []Finding{well("Chrome is at %s", path)}
	if runtime.GOOS != "windows" && os.Geteuid() == 0 {
		findings = append(findings, well("you are root: Chrome will be started with --no-sandbox"))
	}
	chrome, err := launch.Start(ctx,
		launch.Options{ExecutablePath: path, Headless: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(findings, Finding{text: "Chrome does not start: " + err.Error(),
			remedy: "run it by hand to see what it says, or name another by --executable-path"})
	}
	defer chrome.Close()
	findings = append(findings, well("Chrome starts: %s", chrome.Version.Product))
	return append(findings, chromeVersion(chrome.Version.Product),
		webmcp(ctx, chrome.Wire, "update it, or name another by --executable-path or --channel"))
}

// findChrome returns the Chrome that the flags name, if it exists.
func (l Doctor) findChrome() (string, error) {
	if l.ExecutablePath == "" {
		return launch.Find(l.Channel)
	}
	path, err := exec.LookPath(l.ExecutablePath)
	if err != nil {
		return "", fmt.Errorf("there is no Chrome to run at %s (%w)", l.ExecutablePath, err)
	}
	return path, nil
}

// attachable checks a running Chrome.
func attachable(ctx context.Context, browserURL string) []Finding {
	ws, err := cdpclient.BrowserWebSocketURL(ctx, browserURL)
	if err != nil {
		return []Finding{{text: err.Error(), remedy: "start Chrome with " + cdpclient.DebuggingFlags(browserURL)}}
	}
	wire, err := cdpclient.DialWebSocket(ctx, ws, nil)
	if err != nil {
		return []Finding{{text: err.Error(), remedy: "start Chrome with --remote-allow-origins=* if a proxy stands " +
			"between, or attach from this machine"}}
	}
	defer wire.Close()
	return []Finding{well("Chrome listens at %s", cdpclient.Place(browserURL)),
		webmcp(ctx, wire, "start it with "+cdpclient.DebuggingFlags(browserURL)+
			", or switch on chrome://flags/#enable-webmcp-testing; pages with @mcp-b/global work without")}
}

func chromeVersion(product string) Finding {
	_, v, _ := strings.Cut(product, "/")
	major, _ := strconv.Atoi(strings.SplitN(v, ".", 2)[0])
	if major < oldestWebMCP {
		return Finding{text: fmt.Sprintf("%s is older than %d, the first with the WebMCP that the hub reads", product,
			oldestWebMCP), remedy: "update Chrome; until then only pages with @mcp-b/global have tools"}
	}
	return Finding{good: true, text: "its version has WebMCP"}
}

// webmcp checks whether a page gets document.modelContext. A file: address is a secure context, as WebMCP requires.
// remedy says what to do if the page doesn't get it.
func webmcp(ctx context.Context, wire cdpclient.Wire, remedy string) Finding {
	conn := cdpclient.NewConn(wire, func(cdpclient.Message) {})
	defer conn.Close()
	on, err := hasWebMCP(ctx, conn)
	switch {
	case err != nil:
		return Finding{text: "a page could not be looked at: " + err.Error(), remedy: "try again with --browser-url " +
			"of a Chrome that answers"}
	case !on:
		return Finding{text: "WebMCP is switched off in this Chrome", remedy: remedy}
	}
	return Finding{good: true, text: "WebMCP is switched on"}
}

func hasWebMCP(ctx context.Context, conn *cdpclient.Conn) (bool, error) {
	var target cdpclient.CreateTargetResult
	if err := conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": "file:///", "background": true},
		&target); err != nil {
		return false, err
	}
	defer func() {
		_ = conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": target.TargetID}, nil)
	}()
	session, err := conn.AttachTo(ctx, string(target.TargetID))
	if err != nil {
		return false, err
	}
	// The document may still be the empty one, which has no WebMCP and ends at any moment.
	for {
		has, err := conn.Evaluate(ctx, session, hasModelContext)
		if !cdpclient.IsDocumentEnded(err) {
			return string(has) == `"object"`, err
		}
	}
}

// hasModelContext waits until a page's document exists, and returns what it has.
const hasModelContext = `new Promise(done => { const look = () => location.protocol === "file:" && document.readyState === "complete" ? done(typeof document.modelContext) : setTimeout(look, 20); look(); })`

// installHint says how to install a Chrome of a channel on a system.
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
