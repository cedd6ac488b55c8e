package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A node's Chrome doesn't get the node's secrets.
func TestPoolEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	chrome, file := filepath.Join(dir, "chrome"), filepath.Join(dir, "environment")
	if err := os.WriteFile(chrome, []byte("#!/bin/sh\nenv >'"+file+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ETCD_PASSWORD", "a secret")
	c := nodeCmd{browserFlags: browserFlags{Pool: 1, ExecutablePath: chrome}}
	if _, err := c.pool(slog.New(slog.DiscardHandler))[0].Dialer.Dial(t.Context()); err == nil {
		t.Fatal("a script passed for Chrome")
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got); strings.Contains(text, "ETCD_PASSWORD") || !strings.Contains(text, "PATH=") {
		t.Errorf("Chrome got %s", text)
	}
}
