package share

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path of a socket in bytes that all systems accept.
const maxSocketPath = 103

// hubPaths holds the paths of the files by which the processes of one Chrome find each other.
type hubPaths struct{ lock, pid, socket string }

// hubPathsAt returns the paths that begin with base and differ in their extensions.
func hubPathsAt(base string) hubPaths {
	return hubPaths{base + ".lock", base + ".pid", base + ".sock"}
}

// newHubPaths returns the paths for a key, and makes their folder if there is none.
func newHubPaths(dir, key string) (hubPaths, error) {
	if dir == "" {
		var err error
		if dir, err = defaultDir(); err != nil {
			return hubPaths{}, err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return hubPaths{}, fmt.Errorf("the folder in which hubs meet can't be made: %w", err)
	}
	if err := private(dir); err != nil {
		return hubPaths{}, err
	}
	sum := sha256.Sum256([]byte(key))
	p := hubPathsAt(filepath.Join(dir, hex.EncodeToString(sum[:8])))
	if len(p.socket) > maxSocketPath {
		return hubPaths{}, fmt.Errorf("the socket's path %s has %d bytes, more than the %d that all systems allow",
			p.socket, len(p.socket), maxSocketPath)
	}
	return p, nil
}

// listen makes the socket. The caller holds the lock, so an existing socket was left behind by an owner that is gone.
func (p hubPaths) listen() (net.Listener, error) {
	if err := os.Remove(p.socket); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("a socket left behind can't be removed: %w", err)
	}
	l, err := net.Listen("unix", p.socket)
	if err != nil {
		return nil, fmt.Errorf("the socket for other hubs can't be made: %w", err)
	}
	if err := os.Chmod(p.socket, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}
