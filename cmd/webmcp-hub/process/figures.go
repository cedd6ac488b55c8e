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

// figuresVariable, set to anything in the environment, makes SIGQUIT tell the
// process's figures and go on, instead of ending it. It's for soak runs.
const figuresVariable = "WEBMCP_HUB_FIGURES"

// OnFigures logs how many goroutines there are and how much memory is in
// use after a collection, at each SIGQUIT, until stop is called. The goroutines
// themselves follow on stderr, grouped by their stacks.
func OnFigures(log *slog.Logger) (stop func()) {
	if os.Getenv(figuresVariable) == "" {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT)
	go func() {
		for range signals {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			// Twice, because pools keep their contents through one collection.
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
