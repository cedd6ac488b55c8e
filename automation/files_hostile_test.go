//go:build unix

package automation

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipes: a file that is none never keeps a call waiting.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	folders := Folders{dir}
	for name, use := range map[string]func() error{
		"read":   func() error { _, err := folders.ReadText(pipe, 100); return err },
		"save":   func() error { _, err := folders.SaveText(pipe, ".txt", "x"); return err },
		"upload": func() error { _, err := folders.Readable([]string{pipe}); return err },
	} {
		done := make(chan error, 1)
		go func() { done <- use() }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "is no file") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s waits", name)
			if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // lets it go on
				defer f.Close()
			}
		}
	}
}

// TestSavedFilesAreTheirOwners: a file that was there, and that others may read, is replaced
// by one that they may not.
func TestSavedFilesAreTheirOwners(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "picture.png")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Folders{dir}).SaveText(path, ".png", "x"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
