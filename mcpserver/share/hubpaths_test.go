//go:build unix

package share

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFoldersThatOthersCanEnterAreNotUsed(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o750); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(newDir(t), link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		open: "is open to other users (mode 0750); run: chmod 700 " + open,
		link: "", // a link to nothing can't be made a folder, one to a folder is refused
		file: "",
		filepath.Join(t.TempDir(), strings.Repeat("x", 200)): "has",
	} {
		if _, err := newHubPaths(dir, "k"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want something about %q", dir, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(link), "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(link), "other")
	if err := os.Symlink("there", other); err != nil {
		t.Fatal(err)
	}
	if _, err := newHubPaths(other, "k"); err == nil || !strings.Contains(err.Error(), "in the way") {
		t.Errorf("a link: got %v", err)
	}
	// The hub then works on its own, and says why.
	p := start(t, open, "p")
	if got := p.whoami(); got != "p" || !strings.Contains(p.log.String(), "chmod 700") {
		t.Errorf("served by %s; the log is %s", got, p.log)
	}
}

func TestWhatTheOwnerMakesIsPrivate(t *testing.T) {
	dir := newDir(t)
	start(t, dir, "a").whoami()
	p, _ := newHubPaths(dir, "one Chrome")
	for path, want := range map[string]os.FileMode{dir: 0o700, p.lock: 0o600, p.pid: 0o600, p.socket: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
	if p.owner() != os.Getpid() {
		t.Errorf("the lock is said to be held by %d", p.owner())
	}
}

// TestTheLockIsFlocks: processes of other builds take it by flock(2).
func TestTheLockIsFlocks(t *testing.T) {
	p, err := newHubPaths(newDir(t), "k")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(p.lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	if _, err := p.acquire(); err != errTaken {
		t.Errorf("got %v", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	release, err := p.acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EWOULDBLOCK {
		t.Errorf("locked by both: %v", err)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	dir := newDir(t)
	p, err := newHubPaths(dir, "one Chrome")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if err := os.WriteFile(p.pid, []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := start(t, dir, "a"), start(t, dir, "b")
	if first, second := a.whoami(), b.whoami(); first != second {
		t.Errorf("served by %s and %s", first, second)
	}
}

// TestStrangersOnTheSocket get nothing, and harm nobody.
func TestStrangersOnTheSocket(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a")
	a.whoami()
	p, _ := newHubPaths(dir, "one Chrome")
	for _, says := range []string{"GET / HTTP/1.1\r\n", "{}{}\n", strings.Repeat("x", maxHello+1), `{"webmcpHub":99}` + "\n" + initialize + "\n", ""} {
		conn, err := net.Dial("unix", p.socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, says)
		_ = conn.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn) // ends
		_ = conn.Close()
	}
	if b := start(t, dir, "b"); b.whoami() != "a" {
		t.Error("b didn't join")
	}
	if received := len(a.hub.received); received != 2 {
		t.Errorf("the hub received %d messages, want the 2 of a and b", received)
	}
}

func TestAStrangerWithTheLockIsNoOwner(t *testing.T) {
	for says, want := range map[string]string{
		"220 smtp ready\r\n":                 "doesn't speak as a webmcp-hub does",
		`{"webmcpHub":99,"pid":5}` + "\n":    "(process 5) has this Chrome and can't be joined: it has another version, which this one can't talk with; restart the clients",
		strings.Repeat("x", maxHello) + "\n": "doesn't speak",
	} {
		dir := newDir(t)
		p, err := newHubPaths(dir, "one Chrome")
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.own()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := s.listener.Accept()
				if err != nil {
					return
				}
				_, _ = bufio.NewReader(conn).ReadString('\n')
				_, _ = io.WriteString(conn, says)
				_ = conn.Close()
			}
		}()
		a := start(t, dir, "a", func(_ *process, o *Options) { o.patience = 1 })
		if err := a.wait(); err == nil || !strings.Contains(err.Error(), want) || a.started.Load() {
			t.Errorf("%.30q: got %v, started: %v", says, err, a.started.Load())
		}
		s.leave()
		<-done
	}
}

// TestAPlaceThatCannotBeUsed: the hub works on its own, and the lock is free again.
func TestAPlaceThatCannotBeUsed(t *testing.T) {
	dir := newDir(t)
	p, err := newHubPaths(dir, "one Chrome")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.socket, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if a := start(t, dir, "a"); a.whoami() != "a" || !strings.Contains(a.log.String(), "can't be removed") {
		t.Errorf("not on its own, or not said why: %s", a.log)
	}
	release, err := p.acquire()
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestHalfALineIsNone(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 100)+"\n{\"half"), 16)
	if line, err := wholeLine(in); err != nil || len(line) != 101 {
		t.Errorf("got %q, %v", line, err)
	}
	if line, err := wholeLine(in); err == nil {
		t.Errorf("got %q", line)
	}
}
