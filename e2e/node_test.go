package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nodePath is the machine's own Node, which the TypeScript client runs on.
func nodePath(t *testing.T) string {
	t.Helper()
	needNPM(t)
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not on the PATH (make test installs it)")
	}
	return node
}

// newNodePath is a Node that runs what asks for Node 22: the one from npm, or
// else the machine's own if that is new enough.
func newNodePath(t *testing.T) string {
	t.Helper()
	needNPM(t)
	for _, platform := range []string{"linux-x64", "linux-arm64"} { // npm installs the one that fits
		path, err := filepath.Abs(filepath.Join("node_modules", "node-"+platform, "bin", "node"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	node := nodePath(t)
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if major := number(version); major < 24 {
		missing(t, "npm has no Node for this platform, and the one on the PATH is older than 24: "+strings.TrimSpace(string(out)))
	}
	return node
}
