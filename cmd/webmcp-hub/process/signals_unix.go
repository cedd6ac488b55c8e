//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
)

// SurviveBrokenPipes makes a write to a client that is gone fail with an ordinary error. Without it, a Go program
// that writes to such a stdout or stderr ends at once: before it tells pages to stop their tools, and before it lets
// go of Chrome. Ignoring the signal would work as well, but Chrome would inherit that.
func SurviveBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// OnListing calls switchTo at each SIGUSR1 (off) and SIGUSR2 (on), until stop is called. They switch the listing of
// page tools.
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
