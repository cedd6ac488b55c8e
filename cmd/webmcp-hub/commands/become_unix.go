//go:build unix

package commands

import (
	"fmt"
	"os"
	"syscall"
)

// become has this process become another program's, which signals then reach.
func become(program string, args []string) error {
	return fmt.Errorf("%s can't be started: %w", program, syscall.Exec(program, args, os.Environ()))
}
