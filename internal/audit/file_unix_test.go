//go:build unix

package audit

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func fifo(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	return path
}

// A pipe or a device is written to as it is.
func TestAPipeIsNoFileToRotate(t *testing.T) {
	path := fifo(t)
	read := make(chan string)
	go func() {
		defer close(read)
		r, err := os.Open(path)
		if err != nil {
			return
		}
		defer r.Close()
		for lines := bufio.NewScanner(r); lines.Scan(); {
			read <- lines.Text()
		}
	}()
	w := newFile(t, path, 10, 2)
	w.size = 100
	for _, l := range []string{"first line", "second line"} {
		w.mustWrite(t, l+"\n")
		if got := <-read; got != l {
			t.Errorf("read %q", got)
		}
	}
	_ = w.close()
	for more := range read {
		t.Errorf("read %q", more)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o622 {
		t.Errorf("%v, %v", info, err)
	}
}

// What is left of a line, of a full disk for one, does not spoil the next.
func TestAWriteThatEndsWithinALine(t *testing.T) {
	for _, c := range []struct{ there, want string }{{`{"torn`, "{\"torn\n{}\n{}\n"}, {"", "{}\n{}\n"}} {
		path := fifo(t)
		left := make(chan struct{})
		go func() {
			defer close(left)
			if r, err := os.Open(path); err == nil {
				_, _ = r.Read(make([]byte, 1))
				_ = r.Close()
			}
		}()
		w := newFile(t, path, 1000, 2)
		if err := w.write(bytes.Repeat([]byte("x"), 4<<20)); err == nil {
			t.Fatal("nobody reads, and it was written")
		}
		<-left
		if w.f != nil {
			t.Error("it is still open after an error")
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.there), 0o600); err != nil {
			t.Fatal(err)
		}
		w.mustWrite(t, "{}\n", "{}\n")
		wantFiles(t, path, c.want)
	}
}
