package process

import (
	"os"
	"runtime"

	"webmcphub/internal/pace"
)

// Tune leaves half of the cores to Chrome, whose answers the hub mostly
// waits for: its own threads waking up beside it cost a call more than they
// bring (docs/benchmarks.md). What the environment says, GOMAXPROCS and GOGC,
// goes before.
func Tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/2))
	}
	pace.Start() // for good
}
