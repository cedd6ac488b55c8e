//go:build unix

package process

import (
	"os"
	"syscall"
)

// Stdin gives stdin as a file whose reads wait in Go's poller instead
// of in the kernel. Each message is then handled on the thread that read it,
// which takes several wake-ups off every call. Only for pipes and sockets:
// a terminal's mode would be changed for the user's shell too.
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
