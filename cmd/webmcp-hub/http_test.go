package main

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestHTTPFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // in the error; empty if there is none
	}{
		{"", ""},
		{"--listen 127.0.0.1:0", ""},
		{"--listen 0", ""},
		{"--listen :0 --no-token", ""},
		{"--listen 127.9.9.9:0 --no-token", ""},
		{"--listen localhost:0 --no-token", ""},
		{"--no-stdio", "goes with --listen"},
		{"--no-token", "go with --listen"},
		{"--allow-http-origin https://a.example", "go with --listen"},
		{"--listen 0 --allow-http-origin a.example", "must be a URL"},
		{"--listen nonsense", "must be an address and a port"},
		{"--listen 0.0.0.0:0 --no-token", "loopback addresses only"},
		{"--listen [::]:0 --no-token", "loopback addresses only"},
		{"--listen 192.0.2.1:0 --no-token", "loopback addresses only"},
	} {
		t.Run(c.args, func(t *testing.T) {
			parsed, err := parse(t, strings.Fields(c.args)...)
			if err != nil {
				if c.want == "" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			f := parsed.Serve.httpFlags
			if f.Listen != "" && f.Token {
				f.TokenFile = filepath.Join(t.TempDir(), "token")
			}
			l, err := f.open(slog.New(slog.DiscardHandler))
			defer l.close()
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v", err)
			case l != nil && !l.Addr().(*net.TCPAddr).IP.IsLoopback():
				t.Errorf("bound to %v", l.Addr())
			case l != nil && (l.options.Token == "") != !f.Token:
				t.Errorf("token %q", l.options.Token)
			}
		})
	}
}

func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = httpFlags{Listen: taken.Addr().String(), Token: false}.open(slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Error(err)
	}
}

func TestTokenFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "token")
	token, err := readToken(path)
	if err != nil || len(token) != 43 {
		t.Fatalf("%q %v", token, err)
	}
	if again, err := readToken(path); again != token || err != nil {
		t.Errorf("%q %v", again, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if err := makeToken(path, os.Link); !errors.Is(err, os.ErrExist) { // another hub was first
		t.Error(err)
	}
	if again, _ := readToken(path); again != token {
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
		if _, err := readToken(path); err == nil || !strings.Contains(err.Error(), "other users") {
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
		if _, err := readToken(path); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Error(err)
		}
		if err := os.Chown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readToken(dir); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
	if _, err := readToken(filepath.Join(path, "below")); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Error(err)
	}
	for _, bad := range []string{"", "short", "two words of the needed length"} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readToken(path); err == nil || !strings.Contains(err.Error(), "holds no token") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
