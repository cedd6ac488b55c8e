package automation

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles tries to get out of the folders that a client may use.
func TestFiles(t *testing.T) {
	all := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(all, "tmp"))
	root, secret := filepath.Join(all, "root"), filepath.Join(all, "secret")
	for _, dir := range []string{root, secret, filepath.Join(all, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(secret, "key")
	if err := os.WriteFile(key, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"file": key, "folder": secret, "fine": filepath.Join(root, "own")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := FoldersOf([]string{"https://a.example", "file://" + root})

	saved, err := r.SaveText(filepath.Join(root, "new", "x"), ".txt", "text")
	if err != nil || saved != filepath.Join(root, "new", "x.txt") {
		t.Fatalf("saved %s (%v)", saved, err)
	}
	if info, err := os.Stat(saved); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v)", info.Mode(), err)
	}
	if _, err := r.SaveText("y.txt", ".txt", "text"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "y.txt")); err != nil {
		t.Errorf("a relative path doesn't begin in the first root: %v", err)
	}
	for _, path := range []string{key, filepath.Join(root, "..", "secret", "key"), filepath.Join(root, "file"), filepath.Join(root, "folder", "key"), "../secret/key", "/etc/passwd"} {
		if _, err := r.SaveText(path, "", "x"); err == nil {
			t.Errorf("%s was written", path)
		}
		if got, err := r.ReadText(path, 100); err == nil {
			t.Errorf("%s was read: %q", path, got)
		}
		if _, err := r.Readable([]string{path}); err == nil {
			t.Errorf("%s may be uploaded", path)
		}
	}
	if text, _ := os.ReadFile(key); string(text) != "secret" {
		t.Errorf("the file outside holds %q", text)
	}
	if _, err := r.ReadText(saved, 3); err == nil || !strings.Contains(err.Error(), "longer than 3 bytes") {
		t.Errorf("got %v", err)
	}
	if _, err := r.Readable([]string{root}); err == nil || !strings.Contains(err.Error(), "is no file but a folder, which can't be uploaded") {
		t.Errorf("got %v", err)
	}
	if _, err := r.Save(filepath.Join(root, "z"), "", func(w io.Writer) error { return io.ErrClosedPipe }); err == nil {
		t.Error("a file that was not written whole counts as saved")
	}
}
