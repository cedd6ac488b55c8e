package main

import (
	"os"
	"path/filepath"
)

// ownPlace is where the hub keeps a file or folder of its own for this user.
func ownPlace(name string) (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "webmcp-hub", name), nil
}
