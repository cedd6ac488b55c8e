package commands

import (
	"errors"
	"os"
	"os/exec"
)

// become runs another program and ends with its exit code, because Windows can't replace a process.
func become(program string, args []string) error {
	cmd := exec.Command(program, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ExitCode(ended.ExitCode())
	}
	return err
}
