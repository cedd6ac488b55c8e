package main

import (
	"context"
	"errors"
	"os"
	"time"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/endpoints"
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
	if err := endpoints.Of(c.BrowserURL, nil, nil).Validate(); err != nil {
		return usage(err)
	}
	if c.Listen != "" {
		if _, _, err := process.ListenAddress(c.Listen); err != nil {
			return usage(err)
		}
	}
	return usage(extensionFlags{Extension: true, ExtensionPort: c.ExtensionPort}.validate())
}

// joins returns the process whose hub serve would join; 0 if there is none.
func (c *doctorCmd) joins(ctx context.Context) (pid int) {
	f := attachFlags{BrowserURL: c.BrowserURL, UserDataDir: c.UserDataDir}
	if f.UserDataDir == "" && len(f.BrowserURL) == 0 {
		f.UserDataDir, _ = private.Place("profile")
	}
	v, err := f.visitKeys(ctx, nil)
	if hangs := (*share.TakenError)(nil); errors.As(err, &hangs) {
		return hangs.PID
	}
	if err != nil {
		return 0
	}
	defer v.Close()
	return v.PID
}

func (c *doctorCmd) Run() error {
	ctx, cancel := process.UntilSignal(time.Minute)
	defer cancel()
	look := commands.Doctor{
		BrowserURLs: c.BrowserURL, ExecutablePath: c.ExecutablePath, Channel: c.Channel, UserDataDir: c.UserDataDir,
		PairingFile: pairingFile, TokenFile: process.HTTPFlags{TokenFile: c.TokenFile}.Place,
		AuditLog: c.AuditLog, LogFile: c.LogFile, OwnersFlags: ownersFlags(c.Listen, c.UI, c.OTLPEndpoint),
		Joins: c.joins,
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
		return exitCode(1)
	}
	return nil
}
