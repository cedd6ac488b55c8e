package main

import (
	"os"
	"time"

	"webmcphub/cmd/webmcp-hub/demo"
	"webmcphub/cmd/webmcp-hub/process"
)

// demoTimeout bounds the whole show.
const demoTimeout = time.Minute

// demoCmd shows the main job.
type demoCmd struct {
	ExecutablePath string `type:"path" placeholder:"FILE" help:"The Chrome to start."`
}

func (c demoCmd) Run() error {
	ctx, cancel := process.UntilSignal(demoTimeout)
	defer cancel()
	return demo.Run(ctx, demo.Options{Chrome: c.ExecutablePath, Version: version, Setup: process.SetupLine(), Out: os.Stdout})
}
