package checkcmd

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is replaced as a whole, keeps its mode, and leaves nothing beside it; one that
// can't be replaced stays as it is.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "webmcp.lock.json")
	for _, text := range []string{"one", "two"} {
		if err := replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q (%v)", got, err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.Stat(file); err != nil || is.Mode().Perm() != 0o640 {
		t.Errorf("got %v (%v)", is, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("there is something beside the file: %v (%v)", all, err)
	}
	if replace(filepath.Join(dir, "none", "file"), nil) == nil {
		t.Error("a file in no folder was written")
	}
}
