//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedAgain: Ctrl-C ends a command that doesn't end by itself when it was interrupted; not at once, because
// npx passes on what the terminal has sent the command already.
func TestInterruptedAgain(t *testing.T) {
	const child = "WEBMCP_HUB_TEST_HANGS"
	if os.Getenv(child) != "" {
		ctx, cancel := UntilSignal(time.Minute)
		defer cancel()
		fmt.Println("waits")
		<-ctx.Done()
		fmt.Println("hangs")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInterruptedAgain$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // stays open
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	interrupt := func() { _ = cmd.Process.Signal(os.Interrupt) }
	lines.Scan()
	interrupt()
	interrupt() // from npx
	if lines.Scan(); lines.Text() != "hangs" {
		t.Fatalf("it says %q, %v", lines.Text(), lines.Err())
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for again := time.Tick(100 * time.Millisecond); ; {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
				t.Errorf("it ended with %v", err)
			}
			return
		case <-again:
			interrupt()
		}
	}
}
