package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/mask"
)

// logFlags say what is logged, and where it goes besides standard error.
type logFlags struct {
	LogLevel string `group:"common" default:"info" enum:"debug,info,warn,error" help:"The lowest level logged to standard error: debug, info, warn or error."`
	LogFile  string `type:"path" placeholder:"FILE" help:"Append the log to this file too."`
	process.OTLPFlags
	Quiet bool `short:"q" help:"Show no progress on the terminal."`
}

// logger returns the logger that the flags ask for. Its output for standard error goes to stderr. The caller calls
// close at the end.
func (f logFlags) logger(stderr io.Writer) (log *slog.Logger, close func(), err error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return nil, nil, err
	}
	out := stderr
	close = func() {}
	if f.LogFile != "" {
		file, err := os.OpenFile(f.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("the log file can't be opened: %w; name another one by --log-file", err)
		}
		out = io.MultiWriter(stderr, file)
		close = func() { _ = file.Close() }
	}
	return slog.New(mask.Handler(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))), close, nil
}
