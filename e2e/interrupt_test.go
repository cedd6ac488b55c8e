//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedWhileChromeStarts: Ctrl-C ends commands that start a Chrome with the exit code 130 and one line,
// whatever becomes of Chrome.
func TestInterruptedWhileChromeStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Skipf("there are no named pipes: %v", err)
	}
	chrome := filepath.Join(dir, "chrome")
	if err := os.WriteFile(chrome, []byte("#!/bin/sh\necho yes > "+started+"\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "--executable-path", chrome, "http://127.0.0.1:1/"}, {"demo", "--executable-path", chrome}} {
		ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
		defer cancel()
		var errs bytes.Buffer
		cmd := exec.CommandContext(ctx, hubUnderTest(t), args...)
		cmd.Stderr, cmd.Env, cmd.WaitDelay = &errs, environ(t), patience
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pipe, err := os.Open(started) // waits for the writer
		if err != nil {
			t.Fatal(err)
		}
		if said, err := bufio.NewReader(pipe).ReadString('\n'); err != nil || said != "yes\n" {
			t.Fatalf("Chrome was not started: %q, %v", said, err)
		}
		_ = pipe.Close()
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil { // as a terminal does
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 || errs.String() != "webmcp-hub: interrupted\n" {
			t.Errorf("%s: %v: %q", strings.Join(args, " "), err, errs.String())
		}
	}
}

// TestInterruptedWhileAHubIsAsked: so does Ctrl-C while a command waits for its Chrome.
func TestInterruptedWhileAHubIsAsked(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // says nothing, so that the commands wait
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, args := range [][]string{{"tools"}, {"tokens"}, {"call", "open_tab"}} {
		ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
		defer cancel()
		var errs bytes.Buffer
		cmd := exec.CommandContext(ctx, hubUnderTest(t), append(args, "--quiet", "--wait", "10m", "--browser-url", "http://"+l.Addr().String())...)
		cmd.Stderr, cmd.Env, cmd.WaitDelay = &errs, environ(t), patience
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept() // it asks for Chrome's websocket
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 || errs.String() != "webmcp-hub: interrupted\n" {
			t.Errorf("%s: %v: %q", strings.Join(args, " "), err, errs.String())
		}
		_ = conn.Close()
	}
}

// TestInterruptedCall: so does Ctrl-C while a running hub carries out a command's call, whose tool is told.
func TestInterruptedCall(t *testing.T) {
	t.Parallel()
	h, p, name := behaviours(t, native)
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, hubUnderTest(t), "call", "--quiet", "--hub", strconv.Itoa(h.cmd.Process.Pid), name("waits"))
	cmd.Stderr, cmd.Env, cmd.WaitDelay = &errs, environ(t), patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.happened("waiting")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 || errs.String() != "webmcp-hub: interrupted\n" {
		t.Errorf("%v: %q", err, errs.String())
	}
	p.happened("aborted")
}
