//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
)

// SurviveBrokenPipes makes writing to a client that is gone an error like any
// other. Otherwise a Go program that writes to such a stdout or stderr ends at
// once: before pages are told to stop their tools, and Chrome is let go.
// Ignoring the signal would do as well, but Chrome would inherit that.
func SurviveBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// OnListing has the listing of page tools switched by SIGUSR1 (off)
// and SIGUSR2 (on) until stop is called.
func OnListing(switchTo func(on bool)) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			switchTo(s == syscall.SIGUSR2)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
