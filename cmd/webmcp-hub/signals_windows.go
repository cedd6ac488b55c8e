package main

import (
	"log/slog"

	"webmcphub/actors"
)

// onAutoRegisterSignals does nothing: there are no such signals on Windows.
func onAutoRegisterSignals(*actors.Hub, *slog.Logger) (stop func()) { return func() {} }
