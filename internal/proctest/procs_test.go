package proctest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// parentEnv, when it is set, has this test binary start a process and be killed: its folder.
const parentEnv = "PROCTEST_PARENT"

func TestMain(m *testing.M) {
	if folder := os.Getenv(parentEnv); folder != "" {
		p, err := Start("orphan", folder, "sleep", []string{"600"}, nil)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.cmd.Process.Pid)
		select {}
	}
	goleak.VerifyTestMain(m)
}

func start(t *testing.T, script string, env ...string) *Process {
	t.Helper()
	p, err := Start("it", t.TempDir(), "sh", []string{"-c", script}, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func TestProcessSaysHowItEnded(t *testing.T) {
	p := start(t, `echo "$WORD"; exit 3`, "WORD=hear me")
	<-p.Gone()
	err := p.Running()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "… hear me") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Usage(); err == nil {
		t.Error("it takes something after its end")
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

func TestProcessThatIgnoresItsEnd(t *testing.T) {
	p := start(t, `trap "" TERM; echo ready; while :; do sleep 0.01; done`)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := Await(ctx, p, func() error {
		if !strings.Contains(p.Tail(), "ready") {
			return os.ErrNotExist
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := Await(ctx, p, func() error { // Linux counts what a write wrote after the reader has it
		if u, err := p.Usage(); err != nil || u.RSS == 0 || u.Written == 0 {
			return fmt.Errorf("it takes %+v, %v", u, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := p.Terminate(20 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "had not ended") {
		t.Errorf("got %v", err)
	}
}

func TestAwaitGivesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := Await(ctx, start(t, "sleep 5"), func() error { return os.ErrNotExist }); err == nil || !strings.Contains(err.Error(), "it: file does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestProcessDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills a process with its parent")
	}
	parent := start(t, "exec "+os.Args[0], parentEnv+"="+t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	pid := 0
	if err := Await(ctx, parent, func() (err error) {
		pid, err = strconv.Atoi(strings.TrimPrefix(parent.Tail(), "… "))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := parent.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := Await(ctx, nil, func() error {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(stat), ") Z ") {
			return fmt.Errorf("it still runs: %s", stat)
		}
		return nil
	}); err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Error(err)
	}
}
