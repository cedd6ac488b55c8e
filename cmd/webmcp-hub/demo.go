package main

import (
	"os"
	"time"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/terminal"
)

// demoTimeout limits the whole demo.
const demoTimeout = time.Minute

// demoCmd shows what the hub does.
type demoCmd struct {
	ExecutablePath string `type:"path" placeholder:"FILE" help:"The Chrome to start."`
	Quiet          bool   `short:"q" env:"-" help:"Show no progress on the terminal."`
}

func (c demoCmd) Run() error {
	ctx, cancel := process.UntilSignal(demoTimeout)
	defer cancel()
	line := terminal.On(os.Stderr, c.Quiet)
	defer line.Done()
	return commands.RunDemo(ctx, commands.DemoOptions{Chrome: c.ExecutablePath, Version: version,
		Setup: process.SetupLine(), Out: os.Stdout, Doing: line.Step, Begins: line.Done})
}
