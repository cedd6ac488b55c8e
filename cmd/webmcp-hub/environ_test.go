package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The Chrome that the hub starts does not get the secrets in the hub's environment.
func TestChromeGetsNoSecrets(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	chrome, file := filepath.Join(dir, "chrome"), filepath.Join(dir, "environment")
	if err := os.WriteFile(chrome, []byte("#!/bin/sh\nenv >'"+file+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHOP_TOKEN", "a secret")
	d, err := chromeFlags{Isolated: true, ExecutablePath: chrome}.launcher(&OwnedChrome{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Dial(t.Context()); err == nil {
		t.Fatal("a script passed for Chrome")
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got); strings.Contains(text, "SHOP_TOKEN") || !strings.Contains(text, "PATH=") {
		t.Errorf("Chrome got %s", text)
	}
}
