package procs

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start("it", t.TempDir(), "sh", []string{"-c", script}, []string{"WORD=hear me"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func TestProcessSaysHowItEnded(t *testing.T) {
	p := start(t, `echo "$WORD"; exit 3`)
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
	if u, err := p.Usage(); err != nil || u.RSS == 0 || u.Written == 0 {
		t.Errorf("it takes %+v, %v", u, err)
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
