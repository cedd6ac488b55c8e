package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// windowed is among the arguments of a Chromium that has a window, on the display that --display names.
const windowed = "--windowed"

// A display is a screen that nobody sees, on which a Chromium can have windows and gets keys as from a keyboard.
type display struct {
	t    *testing.T
	name string
}

// newDisplay starts Xvfb. It ends with the last program that uses it, or with the test.
func newDisplay(t *testing.T) display {
	t.Helper()
	for _, program := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, "no "+program+" on the PATH (make test installs it)")
		}
	}
	number, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer number.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1200x900x24", "-nolisten", "tcp", "-terminate")
	cmd.ExtraFiles = []*os.File{write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Fatal("Xvfb says no display: ", err)
	}
	return display{t, ":" + strings.TrimSpace(line)}
}

// chromium is one for this test alone, with a window on the display, which shows one tab: without any, it would end.
func (d display) chromium(more ...string) *chrome {
	d.t.Helper()
	c := mustLaunch(d.t, true, append(slices.Clone(more), windowed, "--display="+d.name)...)
	d.t.Cleanup(func() {
		c.kill()
		c.forget()
	})
	return c
}

// press presses keys in the Chromium's window, one after the other.
func (d display) press(keys ...string) {
	d.t.Helper()
	cmd := exec.Command("xdotool", append([]string{"search", "--onlyvisible", "--name", " - (Chromium|Google Chrome)",
		"windowfocus", "--sync", "key", "--clearmodifiers"}, keys...)...)
	cmd.Env = append(os.Environ(), "DISPLAY="+d.name)
	if said, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool: %v: %s", err, said)
	}
}
