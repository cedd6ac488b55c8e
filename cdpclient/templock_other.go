//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package cdpclient

import (
	"errors"
	"os"
)

// lockFile fails: without a lock nobody knows which temporary profiles are in use.
func lockFile(string, bool) (release func(), err error) {
	return nil, errors.New("this system has no file lock that goes with its process")
}

func ours(os.FileInfo) bool { return false }
