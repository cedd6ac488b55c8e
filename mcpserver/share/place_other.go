//go:build !unix

package share

import (
	"os"
	"path/filepath"
)

// defaultDir is in LocalAppData, which is the user's alone.
func defaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "webmcp-hub"), err
}

func private(string) error { return nil }
