//go:build !unix

package share

import (
	"os"
	"path/filepath"
)

// defaultDir is a folder in LocalAppData, which only the user can access.
func defaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "webmcp-hub"), err
}

func private(string) error { return nil }
