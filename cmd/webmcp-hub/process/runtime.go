package process

import (
	"os"
	"runtime"
)

// Tune leaves half of the cores to Chrome, because the hub mostly waits for Chrome's answers. With two processors
// each wake-up starts a second thread that looks for work and finds none: a call takes 300 µs of CPU time, and 215 µs
// with one processor. GOMAXPROCS in the environment takes precedence.
func Tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/2))
	}
}
