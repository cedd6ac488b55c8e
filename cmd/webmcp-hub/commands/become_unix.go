//go:build unix

package commands

import (
	"fmt"
	"os"
	"syscall"
)

// become replaces this process by another program, which then gets the signals.
func become(program string, args []string) error {
	return fmt.Errorf("%s can't be started: %w", program, syscall.Exec(program, args, os.Environ()))
}
