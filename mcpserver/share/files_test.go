//go:build unix

package share

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// chrome stands for what a hub reaches by open files.
type chrome struct {
	t    *testing.T
	ends Files    // the hub's
	in   *os.File // what is written to it
}

func newChrome(t *testing.T, note string) *chrome {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = to.Close() })
	return &chrome{t, Files{Note: json.RawMessage(note), Open: []*os.File{to}}, in}
}

// lives says whether somebody holds the other end.
func (c *chrome) lives() bool {
	c.t.Helper()
	_ = c.in.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := c.in.Read(make([]byte, 1))
	return !errors.Is(err, io.EOF)
}

// over waits until nobody does.
func (c *chrome) over() {
	c.t.Helper()
	for begun := time.Now(); c.lives(); {
		if time.Since(begun) > enough {
			c.t.Fatal("somebody still holds Chrome")
		}
	}
}

// has lets a process's hub have a Chrome, before or while it runs.
func (p *process) has(c *chrome) {
	p.hub.mu.Lock()
	p.hub.files = c.ends
	changed := p.hub.owner.StateChanged
	p.hub.mu.Unlock()
	if changed != nil {
		changed()
	}
}

func withFiles(c *chrome) func(*process, *Options) {
	return func(p *process, _ *Options) { p.has(c) }
}

const given = "files=1"

// TestTheNextOwnerHasTheFiles, one after the other, and what is at the other end never
// sees the owner end.
func TestTheNextOwnerHasTheFiles(t *testing.T) {
	dir, c := newDir(t), newChrome(t, `"one"`)
	a := start(t, dir, "a", withFiles(c))
	a.whoami()
	b, d := start(t, dir, "b"), start(t, dir, "d")
	for _, p := range []*process{b, d} {
		p.whoami()
		p.logs(given, 1)
	}
	a.kill()
	_ = a.wait()
	if a.hub.left.Load() != 1 {
		t.Error("the owner would have ended what others hold")
	}
	b.servedBy()
	d.servedBy()
	owner, guest := b, d
	if d.started.Load() {
		owner, guest = d, b
	}
	owner.hub.mu.Lock()
	got := owner.hub.owner.Files
	owner.hub.mu.Unlock()
	if string(got.Note) != `"one"` || len(got.Open) != 1 {
		t.Fatalf("the next owner has %s %v", got.Note, got.Open)
	}
	c.ends.Close() // the first owner's
	if _, err := got.Open[0].WriteString("x"); err != nil || !c.lives() {
		t.Errorf("what it has is of no use: %v", err)
	}

	// Another one is given to the guest that is left, in place of the first.
	other := newChrome(t, `"two"`)
	owner.has(other)
	guest.logs(`note="\"two\""`, 1)
	got.Close()
	c.over()
	other.ends.Close()
	if !other.lives() {
		t.Error("the guest doesn't hold it")
	}
	owner.has(&chrome{})
	guest.logs("note=null", 1)
	other.over()
}

// TestFilesGoWithTheClient: a guest whose client leaves keeps nothing alive, also
// for the owner that then ends.
func TestFilesGoWithTheClient(t *testing.T) {
	dir, c := newDir(t), newChrome(t, `"one"`)
	a := start(t, dir, "a", withFiles(c))
	a.whoami()
	b := start(t, dir, "b")
	b.whoami()
	b.logs(given, 1)
	_ = b.in.Close()
	_ = b.wait()
	_ = a.in.Close()
	_ = a.wait()
	if a.hub.left.Load() != 0 {
		t.Error("the owner was told that others hold its Chrome")
	}
	c.ends.Close()
	c.over()
}

// TestFilesAreForGuestsOnly that want them.
func TestFilesAreForGuestsOnly(t *testing.T) {
	dir, c := newDir(t), newChrome(t, `"one"`)
	a := start(t, dir, "a", withFiles(c), func(_ *process, o *Options) { o.Settings = []Setting{{"--x", "1"}} })
	a.whoami()
	same := func(_ *process, o *Options) { o.Settings = []Setting{{"--x", "1"}} }
	b := start(t, dir, "b", same, func(_ *process, o *Options) { o.NoFiles = true })
	b.whoami()
	differs := start(t, dir, "differs", func(_ *process, o *Options) { o.Settings = []Setting{{"--x", "2"}} })
	if err := differs.wait(); !errors.As(err, new(*TakenError)) {
		t.Errorf("one that differs ended with %v", err)
	}
	v, err := visit(t.Context(), dir, "one Chrome", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := io.WriteString(v, wantFiles+"\n"); err != nil { // as guests do
		t.Fatal(err)
	}
	c2 := start(t, dir, "c", same)
	c2.whoami()
	c2.logs(given, 1)
	c2.kill()
	_ = c2.wait()
	a.kill()
	_ = a.wait()
	if a.hub.left.Load() != 0 {
		t.Error("the owner was told that others hold its Chrome")
	}
	c.ends.Close()
	c.over()
}

// TestFilesOfOneThatCantBeJoined are let go of: the new owner's Chrome needs the
// profile.
func TestFilesOfOneThatCantBeJoined(t *testing.T) {
	dir, c := newDir(t), newChrome(t, `"one"`)
	a := start(t, dir, "a", withFiles(c))
	a.whoami()
	b := start(t, dir, "b")
	b.whoami()
	b.logs(given, 1)
	fd, err := duplicate(c.ends.Open[0])
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(Options{Logger: slog.New(slog.DiscardHandler)}, io.Discard)
	r.handoff.hold(Files{Open: []*os.File{os.NewFile(uintptr(fd), "twin")}})
	c.ends.Close()
	a.kill()
	_ = a.wait()
	b.servedBy() // it owns what a had; only r holds on to it now
	b.hub.mu.Lock()
	b.hub.owner.Files.Close()
	b.hub.mu.Unlock()
	if !c.lives() {
		t.Fatal("nobody holds it")
	}
	r.cannotJoin(&TakenError{hangs: true})
	if !c.lives() {
		t.Error("an owner that hangs may yet end, and leave its Chrome")
	}
	r.cannotJoin(&TakenError{})
	c.over()
}

// TestPlace: where a client stands goes from owner to owner, by way of its own
// process.
func TestPlace(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a")
	a.whoami()
	b, d := start(t, dir, "b"), start(t, dir, "d")
	for _, p := range []*process{b, d} {
		p.whoami()
	}
	for i, moved := range a.hub.movers() {
		moved(json.RawMessage(`"early"`))
		moved(json.RawMessage([]string{`{"at":0}`, `{"at":1}`}[i]))
	}
	for _, p := range []*process{b, d} {
		p.logs("the owner has sent where its client stands", 1)
	}
	a.kill()
	_ = a.wait()
	b.servedBy()
	d.servedBy()
	owner := b
	if d.started.Load() {
		owner = d
	}
	owner.hub.mu.Lock()
	defer owner.hub.mu.Unlock()
	places := []string{string(owner.hub.owner.Place), owner.hub.places[0]}
	if got := strings.Join(places, " "); got != `{"at":0} {"at":1}` && got != `{"at":1} {"at":0}` {
		t.Errorf("the next owner knows %s", got)
	}
}

// TestFilesAfterNone: a guest that reads late, as its client doesn't read, is told that
// there are no files any more, and given the next ones, by one read.
func TestFilesAfterNone(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	owner, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	c := newChrome(t, `{"n":2}`)
	if _, err := owner.Write([]byte(filesPrefix + "null\n")); err != nil {
		t.Fatal(err)
	}
	if err := sendFiles(owner.(*net.UnixConn), []byte(filesPrefix+`{"n":2}`+"\n"), c.ends.Open); err != nil {
		t.Fatal(err)
	}
	_ = owner.Close()
	Files{Open: c.ends.Open}.Close()

	r, files := newRelay(Options{Logger: slog.New(slog.DiscardHandler)}, io.Discard), newFilesReader(conn)
	if err := r.pump(&link{in: files, files: files.take}); err != nil {
		t.Fatal(err)
	}
	if held := r.handoff.files; string(held.Note) != `{"n":2}` || len(held.Open) != 1 || !c.lives() {
		t.Errorf("the guest holds %d files of %s", len(held.Open), held.Note)
	}
	r.handoff.end()
	c.over()
}
