//go:build unix

package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"webmcphub/actors"
)

// onAutoRegisterSignals switches the listing of page tools by SIGUSR1 (off)
// and SIGUSR2 (on) until stop is called.
func onAutoRegisterSignals(hub *actors.Hub, log *slog.Logger) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			on := s == syscall.SIGUSR2
			log.Info("the listing of page tools was switched", "on", on)
			hub.AutoRegister(on)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
