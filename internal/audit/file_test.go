package audit

import (
	"os"
	"path/filepath"
	"testing"
)

func (w *file) mustWrite(t *testing.T, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if err := w.write([]byte(l)); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
	}
}

// newFile is a file log of a test, which closes it.
func newFile(t *testing.T, path string, max int64, backups int) *file {
	w := &file{path: path, max: max, backups: backups}
	t.Cleanup(func() { _ = w.close() })
	return w
}

// wantFiles compares the file's content and that of its backups; "" is none.
func wantFiles(t *testing.T, path string, want ...string) {
	t.Helper()
	for i, name := range []string{path, path + ".1", path + ".2", path + ".3"} {
		w := ""
		if i < len(want) {
			w = want[i]
		}
		got, err := os.ReadFile(name)
		if string(got) != w || (err == nil) != (w != "") {
			t.Errorf("%s has %q (%v), want %q", filepath.Base(name), got, err, w)
		}
	}
}

func TestFilesAreRotatedInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w := newFile(t, path, 10, 2)
	w.mustWrite(t, "larger than ten\n") // a file has a line at least
	wantFiles(t, path, "larger than ten\n")
	w.mustWrite(t, "1234\n", "5678\n") // ten bytes fit
	wantFiles(t, path, "1234\n5678\n", "larger than ten\n")
	w.mustWrite(t, "\n")
	wantFiles(t, path, "\n", "1234\n5678\n", "larger than ten\n")
	w.mustWrite(t, "next to it\n")
	wantFiles(t, path, "next to it\n", "\n", "1234\n5678\n")
}

func TestRotationWithoutBackups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	newFile(t, path, 10, 0).mustWrite(t, "123456\n", "abcdef\n")
	wantFiles(t, path, "abcdef\n")
}

func TestAFileThatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("123456\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := newFile(t, path, 10, 1)
	w.mustWrite(t, "ab\n")
	wantFiles(t, path, "123456\nab\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	_ = w.close()
	w.mustWrite(t, "c\n") // its size is known anew
	wantFiles(t, path, "c\n", "123456\nab\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a new one: %v, %v", info.Mode(), err)
	}
}

// Two processes share a file: each counts what the other wrote, and follows
// its rotation.
func TestAnotherWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	a, b := newFile(t, path, 10, 2), newFile(t, path, 10, 2)
	a.mustWrite(t, "a1\n")
	b.mustWrite(t, "b1\n")
	a.mustWrite(t, "a2\n")
	b.mustWrite(t, "b2\n") // 12 bytes
	wantFiles(t, path, "b2\n", "a1\nb1\na2\n")
	a.mustWrite(t, "a3\n")
	wantFiles(t, path, "b2\na3\n", "a1\nb1\na2\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	a.mustWrite(t, "a4\n")
	wantFiles(t, path, "a4\n", "a1\nb1\na2\n")
}

// A process that died while it wrote leaves a line without an end. The next
// one's first line is a line of its own.
func TestATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("whole\ntor"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newFile(t, path, 100, 1)
	w.mustWrite(t, "start\n", "next\n")
	wantFiles(t, path, "whole\ntor\nstart\nnext\n")
	_ = w.close()
	w.mustWrite(t, "again\n")
	wantFiles(t, path, "whole\ntor\nstart\nnext\nagain\n")

	// One that is rotated first leaves nothing to end.
	if err := os.WriteFile(path, []byte("tor"), 0o600); err != nil {
		t.Fatal(err)
	}
	newFile(t, path, 5, 1).mustWrite(t, "start\n")
	wantFiles(t, path, "start\n", "tor")
}
