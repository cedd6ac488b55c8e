package process

import (
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"syscall"
)

// figuresVariable is an environment variable. If it is set to anything, SIGQUIT logs the process's figures instead of
// ending the process. It is for soak runs.
const figuresVariable = "WEBMCP_HUB_FIGURES"

// OnFigures logs, at each SIGQUIT until stop is called, how many goroutines there are and how much memory is in use
// after a collection. It writes the goroutines, grouped by their stacks, to stderr.
func OnFigures(log *slog.Logger) (stop func()) {
	if os.Getenv(figuresVariable) == "" {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT)
	go func() {
		for range signals {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			// Collect twice, because pools keep their contents through one collection.
			runtime.GC()
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			log.Info("figures", "goroutines", runtime.NumGoroutine(), "heap", m.HeapAlloc, "objects", m.HeapObjects,
				"stacks", m.StackInuse)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
