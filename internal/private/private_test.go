package private

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTokenFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "token")
	token, err := Token(path)
	if err != nil || len(token) != 43 {
		t.Fatalf("%q %v", token, err)
	}
	if again, err := Token(path); again != token || err != nil {
		t.Errorf("%q %v", again, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if err := NewToken(path, os.Link); !errors.Is(err, os.ErrExist) { // another hub was first
		t.Error(err)
	}
	if again, _ := Token(path); again != token {
		t.Errorf("%q was replaced by %q", token, again)
	}
	if runtime.GOOS != "windows" {
		for p, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", p, info.Mode(), err)
			}
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Token(path); err == nil || !strings.Contains(err.Error(), "other users") {
			t.Error(err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 { // only root can give files away
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, err := Token(path); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Error(err)
		}
		if err := os.Chown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Token(dir); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
	if _, err := Token(filepath.Join(path, "below")); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Error(err)
	}
	for _, bad := range []string{"", "short", "two words of the needed length"} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Token(path); err == nil || !strings.Contains(err.Error(), "holds no token") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
