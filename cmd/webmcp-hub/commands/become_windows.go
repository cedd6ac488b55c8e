package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// become runs another program and ends with its exit code, because Windows can't replace a process.
func become(program string, args []string) error {
	cmd := exec.Command(program, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return exitCode(ended.ExitCode())
	}
	return err
}

// exitCode is an exit code as an error whose text has been printed already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Told returns the exit code.
func (e exitCode) Told() int { return int(e) }
