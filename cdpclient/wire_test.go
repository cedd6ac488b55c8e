package cdpclient

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestActivePortURL(t *testing.T) {
	dir := t.TempDir()
	if _, err := ActivePortURL(dir); err == nil || !os.IsNotExist(unwrapPath(err)) {
		t.Errorf("got %v", err)
	}
	for text, want := range map[string]string{
		"9222\n/devtools/browser/ab-c\n": "ws://127.0.0.1:9222/devtools/browser/ab-c",
		"9222\n":                         "",
		"":                               "",
		"x\n/devtools/browser/ab":        "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "DevToolsActivePort"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ActivePortURL(dir)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func unwrapPath(err error) error {
	for err != nil {
		if _, ok := err.(*fs.PathError); ok {
			return err
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
	return nil
}

// Closing one end of a pipe wire must wake a blocked reader.
func TestPipeWire(t *testing.T) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	a, b := NewPipeWire(r1, w2), NewPipeWire(r2, w1)
	big := json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`)
	go func() {
		for _, m := range []string{`{"a":1}`, string(big), `{}`} {
			if err := a.Write([]byte(m)); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, want := range []int{7, len(big), 2} {
		m, err := b.Read()
		if err != nil || len(m) != want {
			t.Fatalf("got %d bytes, %v; want %d", len(m), err, want)
		}
	}
	woken := make(chan error)
	go func() { _, err := b.Read(); woken <- err }()
	_ = b.Close()
	if err := <-woken; err == nil {
		t.Error("no error after Close")
	}
	_ = a.Close()
}
