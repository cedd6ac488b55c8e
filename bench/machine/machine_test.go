package machine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meminfo")
	if err := os.WriteFile(file, []byte("MemTotalX: 1 kB\nMemTotal:   2048 kB\nMemTotal: 3 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, ok := value(file, "MemTotal"); !ok || v != "2048 kB" {
		t.Errorf("it is %q, %v", v, ok)
	}
	if _, ok := value(file, "Swap"); ok {
		t.Error("what isn't there is found")
	}
	if _, ok := value(file+"x", "MemTotal"); ok {
		t.Error("a file that isn't there is read")
	}
}

func TestWords(t *testing.T) {
	if d := Describe(); strings.Count(d, ", ") != 3 || !strings.Contains(d, " × ") {
		t.Errorf("it is described as %q", d)
	}
	if l := Load(); !strings.HasPrefix(l, "load ") {
		t.Errorf("its load is %q", l)
	}
}
