package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/cmd/webmcp-hub/browsers"
	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/internal/private"
	"webmcphub/mcpserver"
)

// chromeFlags say how the hub gets its Chrome: whether it starts one or attaches to one.
type chromeFlags struct {
	Launch     *bool    `group:"common" negatable:"" help:"Start a Chrome of the hub's own, with WebMCP switched on (the default). --no-launch never starts one: connect_browser attaches to the Chrome that you are using."`
	BrowserURL []string `group:"common" name:"browser-url" sep:"none" placeholder:"URL" help:"Attach to a Chrome that was started with --remote-debugging-port, for example http://127.0.0.1:9222. Repeatable, and can be combined with --ws-endpoint: one hub then serves several browsers."`
	WSEndpoint []string `name:"ws-endpoint" sep:"none" placeholder:"URL" help:"Attach to this DevTools websocket, ws://… or wss://…. Repeatable, like --browser-url."`
	WSHeader   []string `name:"ws-header" sep:"none" placeholder:"NAME: VALUE" help:"Send this header with --ws-endpoint. Repeatable."`
	Browsers   string   `group:"common" type:"path" placeholder:"FILE" help:"Attach to the browsers that this file lists (YAML or JSON), each with a name, an endpoint, labels, headers and rules for origins of its own. It is read again when it changes. See docs/browsers.md."`
	browsers.GridFlags
	AutoConnect bool `group:"common" help:"Attach to the Chrome that you are using. The hub finds its port in the DevToolsActivePort file of its profile."`

	ExecutablePath string   `type:"path" placeholder:"FILE" help:"The Chrome to start."`
	Channel        string   `group:"common" enum:",stable,beta,dev,canary,chromium" default:"" placeholder:"CHANNEL" help:"The Chrome to start or to connect to: stable, beta, dev, canary or chromium."`
	UserDataDir    string   `group:"common" type:"path" placeholder:"DIR" help:"The profile of the Chrome that is started, which is kept between runs. Default: the hub's own."`
	LaunchAtStart  bool     `help:"Start Chrome, or ask --grid for browsers, at once. Default: when a call first needs it, or when a client has been connected for 3 seconds, so that a client that only checks whether the hub works opens no window."`
	Isolated       bool     `help:"Use a temporary profile, which is deleted at the end."`
	Headless       *bool    `group:"common" negatable:"" help:"Start Chrome without a window. Default: only where there is no display; with --grid, what the grid's nodes do."`
	ChromeArg      []string `sep:"none" placeholder:"ARG" help:"Pass this argument to Chrome: a flag (--chrome-arg=--lang=de) or an address to open. With --grid, the grid passes it. Repeatable."`
}

// validate returns an error for flags that contradict each other, which kong can't find.
func (f chromeFlags) validate() error {
	attach := f.attaches()
	ownOnly := f.ExecutablePath != "" || f.Isolated || (f.Headless != nil || len(f.ChromeArg) > 0) &&
		!f.GridFlags.Given()
	switch {
	case f.wantsLaunch() && attach:
		return errors.New("--launch, --browser-url, --ws-endpoint, --browsers, --grid and --auto-connect can't be " +
			"used together: each is another way to a Chrome")
	case f.forbidsLaunch() && ownOnly:
		return errors.New("--executable-path, --isolated, --headless and --chrome-arg are for a Chrome that the hub " +
			"starts, which --no-launch forbids")
	case f.Isolated && f.UserDataDir != "":
		return errors.New("--isolated and --user-data-dir exclude each other: a throw-away profile has no place of its own")
	case f.LaunchAtStart && !f.launches() && !f.GridFlags.Given():
		return errors.New("--launch-at-start is for a Chrome that the hub or a grid starts")
	case f.AutoConnect && f.GridFlags.Given():
		return errors.New("--grid and --auto-connect can't be used together: each is another way to a Chrome")
	case f.AutoConnect && f.Browsers != "":
		return errors.New("--browsers and --auto-connect can't be used together: each is another way to a Chrome")
	case len(f.WSHeader) > 0 && f.Browsers != "":
		return errors.New("--ws-header and --browsers can't be used together: the file says which browser is sent " +
			"which header")
	case f.AutoConnect && len(f.endpoints()) > 0:
		return fmt.Errorf("%s and --auto-connect can't be used together: each is another way to a Chrome",
			f.endpoints()[0].Flag())
	case len(f.WSHeader) > 0 && len(f.WSEndpoint) == 0:
		return errors.New("--ws-header goes with --ws-endpoint only")
	case attach && ownOnly:
		return errors.New("--executable-path, --isolated, --headless and --chrome-arg are for a Chrome that the hub " +
			"starts; they do nothing for one that it attaches to")
	case attach && f.UserDataDir != "" && !f.AutoConnect:
		return errors.New("--user-data-dir is for a Chrome that the hub starts, or with --auto-connect for the one " +
			"that it looks for")
	}
	return cmp.Or(f.endpoints().Validate(), f.GridFlags.Check())
}

// endpoints returns the running Chromes that the flags name by their debugging ports.
func (f chromeFlags) endpoints() browsers.List {
	return browsers.Of(f.BrowserURL, f.WSEndpoint, f.WSHeader)
}

// launches reports whether the hub starts a Chrome.
func (f chromeFlags) launches() bool { return !f.attaches() && !f.forbidsLaunch() }

// attaches reports whether the flags name a Chrome that is running.
func (f chromeFlags) attaches() bool {
	return len(f.endpoints()) > 0 || f.Browsers != "" || f.GridFlags.Given() || f.AutoConnect
}

// onNeed reports whether the hub gets its Chrome only when a client needs it.
func (f chromeFlags) onNeed() bool { return (f.launches() || f.GridFlags.Given()) && !f.LaunchAtStart }

// when returns the ConnectOptions that say when the hub connects to Chrome. It has no dialers.
func (f chromeFlags) when(onRequest bool) actors.ConnectOptions {
	return actors.ConnectOptions{Lazy: onRequest, OnNeed: !onRequest && f.onNeed()}
}

// gridBrowsers returns the browsers of the Selenium Grid that the flags name.
func (f chromeFlags) gridBrowsers(onRequest bool, log *slog.Logger) ([]actors.BrowserOptions, error) {
	return f.GridFlags.Browsers(f.ChromeArg, f.Headless != nil && *f.Headless, f.when(onRequest), log)
}

func (f chromeFlags) wantsLaunch() bool   { return f.Launch != nil && *f.Launch }
func (f chromeFlags) forbidsLaunch() bool { return f.Launch != nil && !*f.Launch }

// stay returns how long a client must have been connected before the hub connects to the browser. The time is short
// where the hub attaches to a Chrome, since no window pops up then.
func (f chromeFlags) stay() time.Duration {
	if !f.onNeed() && (f.attaches() || f.LaunchAtStart) {
		return time.Millisecond
	}
	return mcpserver.DefaultLaunchDelay
}

// reaches reports whether the flags name a Chrome, including one to start.
func (f chromeFlags) reaches() bool { return f.wantsLaunch() || f.attaches() }

// connectOptions returns how and when the hub connects to Chrome: for its one browser, or for several.
func (f chromeFlags) connectOptions(onRequest bool, x extras,
	log *slog.Logger) (one actors.ConnectOptions, several []actors.BrowserOptions, err error) {
	if x.browsers != nil {
		return one, x.browsers.Browsers(), nil
	}
	one = f.when(onRequest)
	grid, err := f.gridBrowsers(onRequest, log)
	if err != nil {
		return one, nil, err
	}
	if several, err = f.endpoints().Browsers(onRequest, grid); several == nil && err == nil {
		one.Dialer, one.Launcher, err = f.dialerAndLauncher(onRequest, cmp.Or(x.chrome, &OwnedChrome{}), log)
	}
	return one, several, err
}

// openBrowsers reads the file of --browsers. The hub follows the file from its start on.
func (s *serveCmd) openBrowsers(x *extras, log *slog.Logger) error {
	if s.Browsers == "" {
		return nil
	}
	grid, err := s.gridBrowsers(s.onRequest(), log)
	if err != nil {
		return err
	}
	set, err := browsers.Open(browsers.Options{File: s.Browsers, Given: s.endpoints(), Grid: grid,
		Lazy: s.onRequest(), Origins: x.origins, Log: log})
	if err != nil {
		return err
	}
	x.browsers, x.closers = set, append(x.closers, set.Close)
	x.started = append(x.started, func(h *actors.Hub) { set.Follow(h.SetBrowsers) })
	return nil
}

// dialerAndLauncher returns the ways to Chrome. If clients are to connect by connect_browser and no flag names a
// Chrome, dialer attaches to the Chrome that is running, and launcher starts one when a client asks for that. launcher
// is nil if there is no such way. If this process took over a Chrome, dialer returns that one first.
func (f chromeFlags) dialerAndLauncher(onRequest bool, own *OwnedChrome,
	log *slog.Logger) (dialer, launcher actors.Dialer, err error) {
	defer func() { dialer = own.Dialer(dialer) }()
	if !onRequest {
		dialer, err = f.dialerOfFlags(own, log)
		return dialer, nil, err
	}
	if f.forbidsLaunch() {
		dialer, err = f.dialerOfFlags(own, log)
		return dialer, nil, err
	}
	if launcher, err = f.launcher(own, log); err != nil {
		return nil, nil, err
	}
	switch {
	case f.wantsLaunch():
		return launcher, nil, nil
	case f.launches():
		return DialFunc(f.autoConnect), launcher, nil
	}
	dialer, err = f.dialerOfFlags(own, log)
	return dialer, launcher, err
}

// dialerOfFlags returns the way to the Chrome that the flags name.
func (f chromeFlags) dialerOfFlags(own *OwnedChrome, log *slog.Logger) (actors.Dialer, error) {
	switch {
	case len(f.endpoints()) > 0: // several endpoints are the hub's Browsers
		return f.endpoints()[0].Dialer()
	case f.AutoConnect || f.forbidsLaunch():
		return DialFunc(f.autoConnect), nil
	}
	return f.launcher(own, log)
}

// autoConnect tries the profiles in which the user's own Chrome may run.
func (f chromeFlags) autoConnect(ctx context.Context) (cdpclient.Wire, error) {
	dirs := []string{f.UserDataDir}
	if f.UserDataDir == "" {
		dirs = launch.DefaultUserDataDirs(f.Channel)
	}
	var failures []error
	for _, dir := range dirs {
		ws, err := cdpclient.ActivePortURL(dir)
		if err == nil {
			var wire cdpclient.Wire
			if wire, err = cdpclient.DialWebSocket(ctx, ws, nil); err == nil {
				return wire, nil
			}
		}
		if f.UserDataDir != "" || !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	err := errors.New("no running Chrome with remote debugging was found; switch it on at " +
		"chrome://inspect/#remote-debugging, or start Chrome with " + cdpclient.DebuggingFlags(""))
	if why := errors.Join(failures...); why != nil {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return nil, err
}

// launcher returns a way that starts Chrome, and starts it again when it has gone. launcher tells own about each
// Chrome. own also says what the first Chrome opens instead of what the flags name.
func (f chromeFlags) launcher(own *OwnedChrome, log *slog.Logger) (actors.Dialer, error) {
	profile, err := f.profile()
	if err != nil {
		return nil, err
	}
	headless := f.headless(log)
	if runtime.GOOS != "windows" && os.Geteuid() == 0 {
		log.Warn("running as root: a Chrome that the hub starts gets --no-sandbox, without which it can't start")
	}
	return DialFunc(func(ctx context.Context) (cdpclient.Wire, error) {
		release, err := HoldProfile(ctx, profile)
		if err != nil {
			return nil, err
		}
		args := f.ChromeArg
		first := own.First()
		if len(first) > 0 {
			args = Reopening(args, first)
		} else if address := actors.ReopenAddress(ctx); address != "" {
			args = Reopening(args, []string{address})
		}
		c, err := launch.Start(ctx, launch.Options{
			ExecutablePath: f.ExecutablePath,
			Channel:        f.Channel,
			UserDataDir:    profile,
			Headless:       headless,
			Args:           args,
			Logger:         log,
			Outlives:       own.Outlives(),
		})
		if err != nil {
			own.Opens(first)
			release()
			return nil, err
		}
		log.Info("started Chrome", "version", c.Version.Product, "profile", c.UserDataDir)
		w := NewOwnedWire(c, release, own)
		own.Is(w)
		return w, nil
	}), nil
}

// profile returns the profile folder for the Chrome that the hub starts, and makes the folder if it doesn't exist; ""
// means a throw-away profile.
func (f chromeFlags) profile() (string, error) {
	if f.Isolated {
		return "", nil
	}
	profile := f.UserDataDir
	if profile == "" {
		var err error
		if profile, err = private.Place("profile"); err != nil {
			return "", fmt.Errorf("there is no place for a profile (%w); name one by --user-data-dir, or use --isolated", err)
		}
	}
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return "", fmt.Errorf("the profile's folder can't be made: %w; name another one by --user-data-dir, or use --isolated", err)
	}
	return profile, nil
}

// headless reports whether Chrome gets no window.
func (f chromeFlags) headless(log *slog.Logger) bool {
	if f.Headless != nil {
		return *f.Headless
	}
	if !process.HasDisplay() {
		log.Info("there is no display: a Chrome that the hub starts has no window (--no-headless insists on a window)")
		return true
	}
	return false
}
