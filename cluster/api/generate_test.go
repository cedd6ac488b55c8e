package api

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Regenerating gives the files as they are. (Where buf or a plugin can't be fetched the test is skipped.)
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds buf")
	}
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "github.com/bufbuild/buf/cmd/buf@v1.75.0", "generate", "-o", out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("buf doesn't run here: %v\n%s", err, said)
	}
	for _, name := range []string{"node.pb.go", "node_grpc.pb.go"} {
		want, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := os.ReadFile(name); err != nil || !bytes.Equal(is, want) {
			t.Errorf("%s is not what node.proto gives (%v): run go generate ./cluster/api", name, err)
		}
	}
}
