package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"webmcphub/internal/agent"
	"webmcphub/internal/terminal"
)

// usualBrowser is where a Chrome with a debugging port usually listens.
const usualBrowser = "http://127.0.0.1:9222"

// attachFlags say which hub to look at, or which Chrome if no hub runs for it.
type attachFlags struct {
	BrowserURL  []string      `name:"browser-url" sep:"none" placeholder:"URL" help:"Use the Chrome that listens here, through the hub that has it if one runs. Repeatable, for the hub that has all of these."`
	WSEndpoint  []string      `name:"ws-endpoint" sep:"none" placeholder:"URL" help:"Use the Chrome with this DevTools websocket. Repeatable, like --browser-url."`
	WSHeader    []string      `name:"ws-header" sep:"none" placeholder:"NAME: VALUE" help:"Send this header with --ws-endpoint. Repeatable."`
	AutoConnect bool          `help:"Use the Chrome that you are using yourself."`
	Channel     string        `enum:",stable,beta,dev,canary,chromium" default:"" placeholder:"CHANNEL" help:"With --auto-connect: the channel whose profile to look in."`
	UserDataDir string        `type:"path" placeholder:"DIR" help:"Use the hub whose Chrome has this profile; with --auto-connect, the Chrome that has it."`
	Hub         int           `placeholder:"PID" env:"-" help:"Use the hub of this process. Default: the running hub, or a Chrome at http://127.0.0.1:9222 if none runs."`
	Share       bool          `default:"true" negatable:"" help:"Use a running hub. --no-share attaches to the Chrome itself."`
	Wait        time.Duration `default:"5s" help:"How long to wait for Chrome and for the tools."`
	Verbose     bool          `short:"v" help:"Log what the hub does to standard error."`
	Quiet       bool          `short:"q" env:"-" help:"Show no progress on the terminal."`
}

// Validate checks the flags. The parser calls it.
func (f attachFlags) Validate() error {
	c := f.chrome()
	if f.profileOnly() {
		c.UserDataDir = ""
	}
	switch err := c.validate(); {
	case err != nil:
		return usage(err)
	case f.Hub != 0 && f.chromeNamed():
		return usage(fmt.Errorf("--hub can't be used together with --browser-url, --ws-endpoint or --auto-connect: " +
			"each names what to look at"))
	case f.Hub < 0:
		return usage(fmt.Errorf("--hub must be the number of a process, not %d", f.Hub))
	case !f.Share && (f.Hub != 0 || f.profileOnly()):
		return usage(fmt.Errorf("--no-share attaches to a Chrome, so it needs --browser-url, --ws-endpoint or " +
			"--auto-connect instead of --hub and --user-data-dir"))
	}
	return nil
}

// profileOnly reports whether the flags name a hub by its profile, and no Chrome.
func (f attachFlags) profileOnly() bool {
	return f.UserDataDir != "" && !f.chromeNamed()
}

// unnamed reports whether the flags name neither a hub nor a Chrome.
func (f attachFlags) unnamed() bool {
	return !f.chromeNamed() && f.UserDataDir == "" && f.Hub == 0
}

// chromeNamed reports whether the flags name a Chrome.
func (f attachFlags) chromeNamed() bool {
	return len(f.BrowserURL)+len(f.WSEndpoint) > 0 || f.AutoConnect
}

// chrome returns the flags by which a hub in this process would attach to Chrome.
func (f attachFlags) chrome() chromeFlags {
	c := chromeFlags{BrowserURL: f.BrowserURL, WSEndpoint: f.WSEndpoint, WSHeader: f.WSHeader,
		AutoConnect: f.AutoConnect, Channel: f.Channel, UserDataDir: f.UserDataDir}
	if !c.attaches() {
		c.BrowserURL = []string{usualBrowser}
	}
	return c
}

// look waits for the hub's Chrome, and then calls use with what the hub offers. See withHub.
func (f attachFlags) look(callTimeout time.Duration,
	use func(context.Context, *agent.Agent, json.RawMessage, agent.Overview) error) error {
	return withHub(f, callTimeout, func(ctx context.Context, a *agent.Agent) error {
		line := terminal.On(os.Stderr, f.Quiet || f.Verbose)
		line.Say("waiting for Chrome and its tools")
		raw, o, err := a.Overview(ctx, f.Wait)
		line.Done()
		if err == nil {
			err = f.reached(a, o)
		}
		if err != nil {
			return err
		}
		return use(ctx, a, raw, o)
	})
}

func (f attachFlags) logger() *slog.Logger {
	if !f.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	log, _, err := logFlags{LogLevel: "debug"}.logger(os.Stderr)
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// ownHubFor starts a hub in this process and calls use as a client of that hub.
func (f attachFlags) ownHubFor(ctx context.Context, callTimeout time.Duration,
	use func(context.Context, *agent.Agent) error) error {
	flags := defaultHubFlags()
	flags.CallTimeout = callTimeout
	flags.MaxResultTokens = 0 // people and programs read the whole result
	server, hub, err := startHub(f.chrome(), flags, false, false, extras{}, f.logger())
	if err != nil {
		return err
	}
	serving, cancel := context.WithCancel(context.Background())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(serving, toServer, fromServer) }()
	defer func() {
		cancel()
		_ = fromClient.Close()
		<-served
		grace, done := context.WithTimeout(context.Background(), stopGrace)
		defer done()
		_ = hub.Stop(grace)
	}()
	a, err := agent.Over(ctx, toClient, fromClient, version)
	if err != nil {
		return err
	}
	return use(ctx, a)
}
