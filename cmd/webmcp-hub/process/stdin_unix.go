//go:build unix

package process

import (
	"os"
	"syscall"
)

// Stdin returns standard input as a file whose reads wait in Go's poller instead of in the kernel. The thread that
// read a message then also handles it, which saves several wake-ups per call. Only pipes and sockets are switched to
// that mode: a terminal's mode would change for the user's shell, too.
func Stdin() *os.File {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return os.Stdin
	}
	if syscall.SetNonblock(0, true) != nil {
		return os.Stdin
	}
	return os.NewFile(0, "stdin")
}
