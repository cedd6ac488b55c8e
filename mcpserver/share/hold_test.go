package share

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestHold(t *testing.T) {
	dir := newDir(t)
	release, _, err := hold(dir, "a profile")
	if err != nil {
		t.Fatal(err)
	}
	if _, holder, err := hold(dir, "a profile"); err == nil || holder != os.Getpid() {
		t.Errorf("held by %d, %v", holder, err)
	}
	other, _, err := hold(dir, "another")
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	release, _, err = hold(dir, "a profile")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestTheLockGoesWithItsProcess, which is killed.
func TestTheLockGoesWithItsProcess(t *testing.T) {
	const key = "a profile"
	if dir := os.Getenv("HOLD_IN"); dir != "" { // the process
		release, _, err := hold(dir, key)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	dir := newDir(t)
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), "HOLD_IN="+dir)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "held\n" {
		t.Fatalf("the process said %q, %v", said, err)
	}
	if _, holder, err := hold(dir, key); !errors.Is(err, errTaken) || holder != other.Process.Pid {
		t.Errorf("held by %d, %v; want %d", holder, err, other.Process.Pid)
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	release, holder, err := hold(dir, key)
	if err != nil {
		t.Fatalf("held by %d, %v after its process was killed", holder, err)
	}
	release()
}

// TestAnOwnerThatIsNotKnown: half an id is none, and nobody is told to kill 0.
func TestAnOwnerThatIsNotKnown(t *testing.T) {
	p, err := newHubPaths(newDir(t), "k")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 0, "12": 0, "12\n": 12, "x\n": 0} {
		if err := os.WriteFile(p.pid, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		says := p.silent(errSilent).Error()
		if got := p.owner(); got != want || strings.Contains(says, "kill ") != (want != 0) {
			t.Errorf("%q: the owner is %d, and it says: %s", text, got, says)
		}
	}
}
