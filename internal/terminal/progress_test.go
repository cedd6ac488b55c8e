package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

// Where there is no terminal there is no line, and one that isn't there says nothing.
func TestNoTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := On(f, false)
	if l != nil || Colors(f) {
		t.Error("a file is taken for a terminal")
	}
	l.Say("a")
	l.Step(1, 2, "b")
	l.Clear()
	l.Done()
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
	t.Setenv("NO_COLOR", "1")
	if Colors(os.Stdout) {
		t.Error("NO_COLOR doesn't count")
	}
}
