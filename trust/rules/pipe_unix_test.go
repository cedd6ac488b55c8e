//go:build unix

package rules

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe would have the hub wait at its start.
func TestAPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a pipe: %v", err)
	}
}
