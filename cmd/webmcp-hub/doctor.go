package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"webmcphub/cmd/webmcp-hub/browsers"
	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/private"
	"webmcphub/mcpserver/share"
)

// doctorCmd says what is missing for the hub to work, and how to fix it. It has serve's flags and reads the same
// settings, so it checks what serve would do with them.
type doctorCmd struct {
	BrowserURL     []string `name:"browser-url" sep:"none" placeholder:"URL" help:"Also check the Chrome that listens here. Repeatable."`
	ExecutablePath string   `type:"path" placeholder:"FILE" help:"Check this Chrome."`
	Channel        string   `enum:",stable,beta,dev,canary,chromium" default:"" placeholder:"CHANNEL" help:"Check the Chrome of this channel."`
	UserDataDir    string   `type:"path" placeholder:"DIR" help:"Check this profile. Default: the hub's own."`

	Extension     bool             `help:"Check what --extension needs."`
	ExtensionPort int              `default:"${extensionPort}" placeholder:"PORT" help:"The port of --extension."`
	Listen        string           `placeholder:"ADDR" help:"Check whether MCP can be served over HTTP here."`
	TokenFile     string           `type:"path" placeholder:"FILE" help:"The file with the token of HTTP clients. Default: the hub's own."`
	UI            livepage.Address `name:"ui" placeholder:"ADDR" help:"Say whether this flag would have no effect because a hub runs already."`
	OTLPEndpoint  string           `name:"otlp-endpoint" placeholder:"URL" help:"Say whether this flag would have no effect because a hub runs already."`
	AuditLog      string           `type:"path" placeholder:"FILE" help:"Check whether this audit log can be written."`
	LogFile       string           `type:"path" placeholder:"FILE" help:"Check whether this log can be written."`
}

// Validate checks the flags. The parser calls it.
func (c *doctorCmd) Validate() error {
	if err := browsers.Of(c.BrowserURL, nil, nil).Validate(); err != nil {
		return usage(err)
	}
	if c.Listen != "" {
		if _, _, err := process.ListenAddress(c.Listen); err != nil {
			return usage(err)
		}
	}
	return usage(extensionFlags{Extension: true, ExtensionPort: c.ExtensionPort}.validate())
}

// sharedBy returns the key under which serve, with the flags and settings of a doctor's command line, shares its hub; ""
// if it shares none, or refuses the flags.
func sharedBy(args []string) (key string) {
	args = slices.Clone(args)
	if at := slices.Index(args, "doctor"); at >= 0 {
		args[at] = "serve"
	}
	var c cli
	if _, err := parseArgs(&c, args); err != nil {
		return ""
	}
	s := &c.Serve
	s.serveOptions = s.withSafe()
	if s.launches() {
		dir := s.UserDataDir
		if dir == "" {
			dir, _ = private.Place("profile")
		}
		if _, err := os.Stat(dir); err != nil {
			return "" // sharing would make the folder
		}
	}
	o, err := s.sharing()
	if err != nil {
		return ""
	}
	return o.Key
}

// joins returns the process whose hub has the Chrome that serve would use; 0 if there is none.
func joins(ctx context.Context, args []string) (pid int) {
	key := sharedBy(args)
	if key == "" {
		return 0
	}
	v, err := share.Visit(ctx, key, nil)
	if hangs := (*share.TakenError)(nil); errors.As(err, &hangs) {
		return hangs.PID
	}
	if err != nil {
		return 0
	}
	defer v.Close()
	return v.PID
}

func (c *doctorCmd) Run(at *kong.Context) error {
	ctx, cancel := process.UntilSignal(time.Minute)
	defer cancel()
	look := commands.Doctor{
		BrowserURLs: c.BrowserURL, ExecutablePath: c.ExecutablePath, Channel: c.Channel, UserDataDir: c.UserDataDir,
		PairingFile: pairingFile, TokenFile: process.HTTPFlags{TokenFile: c.TokenFile}.Place,
		AuditLog: c.AuditLog, LogFile: c.LogFile, OwnersFlags: ownersFlags(c.Listen, c.UI, c.OTLPEndpoint),
		Joins: func(ctx context.Context) int { return joins(ctx, at.Args) },
	}
	if c.Extension {
		look.ExtensionPort = c.ExtensionPort
	}
	if c.Listen != "" {
		var err error
		if _, look.Listen, err = process.ListenAddress(c.Listen); err != nil {
			return usage(err)
		}
	}
	findings := look.Examine(ctx)
	if errors.Is(context.Cause(ctx), process.ErrInterrupted) {
		return process.ErrInterrupted
	}
	if !commands.ReportFindings(os.Stdout, findings) {
		return commands.ExitCode(1)
	}
	return nil
}
