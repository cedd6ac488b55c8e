package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"go.uber.org/goleak"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/trust/pins"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const bank = "https://bank.example"

// pinned is a store behind a registry, as the hub has them.
type pinned struct {
	*Store
	t     *testing.T
	mu    sync.Mutex // guards state and log
	state *registry.State
	log   bytes.Buffer
	notes []string
}

type lockedWriter struct{ *pinned }

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func start(t *testing.T, dir string, mode pins.Mode) *pinned {
	s := &pinned{t: t}
	s.Store = Open(Options{Folder: Folder{dir}, Rules: pins.Rules{Mode: mode}, Logger: slog.New(slog.NewTextHandler(lockedWriter{s}, nil)), Noted: func(n Note) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notes = append(s.notes, n.What+" "+n.Tool)
	}})
	s.state = registry.NewState(registry.Options{Pins: s.Book()})
	s.Start(func(b *pins.Book) { go s.step(registry.PinsChanged{Pins: b}) })
	s.settle()
	t.Cleanup(s.end)
	return s
}

func (s *pinned) end() {
	if s.Store != nil {
		s.Close()
		synctest.Wait()
		s.Store = nil
	}
}

func (s *pinned) step(events ...registry.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		if effects := s.state.Step(e); len(effects) > 0 {
			s.Apply(effects)
		}
	}
}

// settle lets the store look, and poll.
func (s *pinned) settle() {
	fakeclock.Elapse(2 * poll)
	synctest.Wait()
}

// page opens a page with these tools. What follows a ':' is a tool's description.
func (s *pinned) page(id, url string, tools ...string) {
	s.t.Helper()
	e := registry.ToolsReported{Page: registry.PageID(id), Gen: 1}
	for _, n := range tools {
		name, description, _ := strings.Cut(n, ":")
		e.Tools = append(e.Tools, &registry.PageTool{Name: name, Frame: "F", Doc: 1, Description: description})
	}
	s.step(registry.PageOpened{Page: e.Page, URL: url}, registry.Navigated{Page: e.Page, Gen: 1, URL: url}, e)
	s.settle()
}

func (s *pinned) close(id string) {
	s.step(registry.PageClosed{Page: registry.PageID(id)})
	s.settle()
}

// want is what tools are there, and what is withheld ("-name").
func (s *pinned) want(want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []string
	for _, tab := range s.state.Catalog().Tabs() {
		for _, t := range tab.Tools {
			got = append(got, t.Mark()+t.Route.Tool)
		}
		for _, h := range tab.Withheld {
			got = append(got, "-"+h.Tool.Name)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("there are %q, want %q", got, want)
	}
}

func (s *pinned) said(what string, times int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Count(s.log.String(), what); got != times {
		s.t.Errorf("%q was said %d times, want %d: %s", what, got, times, s.log.String())
	}
}

func bubble(t *testing.T, f func(t *testing.T, dir string)) {
	dir := filepath.Join(t.TempDir(), "pins")
	synctest.Test(t, func(t *testing.T) { f(t, dir) })
}

// command changes a file as "webmcp-hub pins" does.
func command(t *testing.T, dir, origin string, change func(*pins.Site)) {
	t.Helper()
	if _, err := (Folder{dir}).Edit(origin, func(was *pins.Site) (*pins.Site, error) {
		is := was.Clone()
		change(is)
		return is, nil
	}); err != nil {
		t.Fatal(err)
	}
}

func acceptAll(s *pins.Site) {
	_, _ = s.Accept(func(*pins.Definition) bool { return true }, pins.ByHand, time.Now())
}

// A first visit, its end, drift, acceptance by a command, a roll-back, a restart.
func TestLifeOfASite(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "pay:Pays", "list:Lists")
		s.page("A", bank, "pay:Pays", "list:Lists", "later:Comes later")
		s.want("pay", "list", "later")
		fakeclock.Elapse(pins.VisitLength)
		s.settle()
		s.step(registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "pay", Frame: "F", Doc: 1, Description: "Pays, and reads the cookie"}, {Name: "new", Frame: "F", Doc: 1}}})
		s.settle()
		s.want("-pay", "-new")
		s.said("a page's tool is not as it was accepted", 2)
		s.settle()
		s.said("a page's tool is not as it was accepted", 2)
		s.end()

		s = start(t, dir, pins.Hold)
		s.page("A", bank, "pay:Pays, and reads the cookie", "list:Lists")
		s.want("list", "-pay")
		s.said("a page's tool is not as it was accepted", 0) // it has been said
		command(t, dir, bank, acceptAll)
		s.settle()
		s.want("pay", "list")
		s.close("A")
		s.page("B", bank, "pay:Pays", "list:Lists", "new:")
		s.want("pay", "list", "new")
		command(t, dir, bank, func(s *pins.Site) { s.Forget("pay") })
		s.settle()
		s.want("list", "new", "-pay")
		if _, err := (Folder{dir}).Edit(bank, func(*pins.Site) (*pins.Site, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		s.settle()
		s.want("pay", "list", "new") // the first visit begins anew
		s.end()
	})
}

// The pages' states of a first visit count, across a pause and a restart of the hub.
func TestFirstVisit(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "one:x")
		fakeclock.Elapse(3 * pins.VisitPause) // it is open all the time
		s.page("A", bank, "one:x", "two:x")
		s.want("one", "two")
		s.end()
		fakeclock.Elapse(pins.VisitPause / 2)
		s = start(t, dir, pins.Hold)
		s.page("A", bank+"/cart", "one:x", "three:x")
		s.want("one", "three")
		s.close("A")
		fakeclock.Elapse(pins.VisitPause + time.Minute)
		s.page("A", bank, "one:x", "two:x", "four:x")
		s.want("one", "two", "-four")
		s.end()
	})
}

func TestWarnMarks(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Warn)
		s.page("A", bank, "pay:Pays")
		command(t, dir, bank, acceptAll) // a person says that this is all
		s.settle()
		s.page("A", bank, "pay:Steals", "new:")
		s.close("A")
		s.page("A", bank, "pay:Steals", "new:")
		s.want("[changed, not accepted] pay", "[new, not accepted] new")
		if err := s.Accept(t.Context(), bank, []pins.Definition{{Name: "pay", Description: "Steals"}}, pins.ByAnswer); err != nil {
			t.Error(err)
		}
		s.settle()
		s.want("pay", "[new, not accepted] new")
		if got := fmt.Sprint(s.notes); got != "[drift pay drift new accepted pay]" {
			t.Errorf("notes: %s", got)
		}
		s.end()
	})
}

// Changes that benign pages make pass, and are noted once. They are neither accepted nor do they wait.
func TestNotedChanges(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "pay:Pays 3 bills.", "list:Lists the bills.")
		command(t, dir, bank, acceptAll)
		s.settle()
		for range 2 {
			s.page("A", bank, "pay:Pays 4 bills.", "list:Deletes the bills.")
			s.want("pay", "-list")
			s.close("A")
		}
		s.page("A", bank, "pay:Pays 4 bills, and reads the mail.")
		s.want("-pay")
		if got := fmt.Sprint(s.notes); got != "[noted pay drift list drift pay]" {
			t.Errorf("notes: %s", got)
		}
		site, err := Folder{dir}.Load(bank)
		if err != nil || len(site.Accepted) != 2 || len(site.Waiting) != 2 {
			t.Errorf("%+v, %v", site, err)
		}
		s.end()
	})
}

// Files of earlier versions are read.
func TestEarlierFiles(t *testing.T) {
	site, err := parse([]byte(`{"format":1,"origin":"` + bank + `","firstVisit":{"began":"2026-01-02T03:04:05Z","last":"2026-01-02T03:04:05Z","over":true},
		"accepted":[{"definition":{"name":"pay"},"at":"2026-01-02T03:04:05Z","by":"first visit"}],
		"waiting":[{"definition":{"name":"pay","description":"Steals."},"at":"2026-01-02T03:04:05Z"}],
		"shown":{"sha256:` + strings.Repeat("0a", 32) + `":true}}`))
	if err != nil || len(site.Accepted) != 1 || len(site.Waiting) != 1 || len(site.Waiting[0].ID()) != 8 {
		t.Errorf("%+v, %v", site, err)
	}
}

// What was accepted can't be known: nothing passes, and once it can be, all is well.
func TestUnusableFiles(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(t *testing.T, dir, file string)
		says        string
		others      bool // whether another site is withheld too
	}{
		"broken":        {func(t *testing.T, dir, file string) { write(t, file, "{") }, func(t *testing.T, dir, file string) { remove(t, file) }, "it is broken", false},
		"more after it": {func(t *testing.T, dir, file string) { write(t, file, read(t, file)+"{}") }, func(t *testing.T, dir, file string) { remove(t, file) }, "more follows its end", false},
		"a field more": {func(t *testing.T, dir, file string) {
			write(t, file, strings.Replace(read(t, file), "{", `{"x":1,`, 1))
		}, func(t *testing.T, dir, file string) { remove(t, file) }, "unknown field", false},
		"a newer hub's": {func(t *testing.T, dir, file string) {
			write(t, file, strings.Replace(read(t, file), `"format": 1`, `"format": 2`, 1))
		}, func(t *testing.T, dir, file string) { remove(t, file) }, "has format 2", false},
		"another site's": {func(t *testing.T, dir, file string) {
			write(t, file, strings.Replace(read(t, file), bank, "https://evil.example", 1))
		}, func(t *testing.T, dir, file string) { remove(t, file) }, "it is not the file of", false},
		"readable by others":    {func(t *testing.T, dir, file string) { chmod(t, file, 0o644) }, func(t *testing.T, dir, file string) { chmod(t, file, 0o600) }, "by other users", false},
		"another user's":        {func(t *testing.T, dir, file string) { chown(t, file, 12345) }, func(t *testing.T, dir, file string) { chown(t, file, os.Getuid()) }, "belongs to another user", false},
		"another user's folder": {func(t *testing.T, dir, file string) { chown(t, dir, 12345) }, func(t *testing.T, dir, file string) { chown(t, dir, os.Getuid()) }, "belongs to another user", true},
		"a folder for all":      {func(t *testing.T, dir, file string) { chmod(t, dir, 0o777) }, func(t *testing.T, dir, file string) { chmod(t, dir, 0o700) }, "by other users", true},
		"a folder in its place": {func(t *testing.T, dir, file string) { remove(t, file); mkdir(t, file) }, func(t *testing.T, dir, file string) { remove(t, file) }, "not a file", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, dir string) {
				s := start(t, dir, pins.Hold)
				s.page("A", bank, "pay:Pays")
				s.want("pay")
				file := (Folder{dir}).Place(bank)
				c.spoil(t, dir, file)
				fakeclock.Elapse(time.Second) // file systems are slow to tell the time
				check := func() {
					t.Helper()
					s.settle()
					s.page("B", "https://other.example", "find:Finds")
					other := "find"
					if c.others {
						other = "-find"
					}
					s.want("-pay", other)
					if why := s.why("A"); !strings.Contains(why, c.says) {
						t.Errorf("it says %q", why)
					}
					s.close("B")
				}
				check()
				s.said("none", 1)
				s.end()
				s = start(t, dir, pins.Hold) // as it is found
				s.page("A", bank, "pay:Pays")
				check()
				c.mend(t, dir, file)
				fakeclock.Elapse(time.Second)
				s.settle()
				s.settle()
				s.want("pay")
				s.end()
			})
		})
	}
}

// why says why the first tool of a page is withheld.
func (s *pinned) why(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.state.Catalog().Tab(registry.PageID(id)).Withheld
	if len(held) == 0 {
		return ""
	}
	return held[0].Why
}

// lock takes the folder's lock as another process would.
func lock(t *testing.T, dir string) (unlock func() error) {
	t.Helper()
	l := flock.New(filepath.Join(dir, lockName))
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	return l.Unlock
}

// While another process keeps the lock nothing can be written, so what is new is withheld.
func TestLocked(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "pay:Pays")
		unlock := lock(t, dir)
		s.page("B", "https://new.example", "find:Finds")
		fakeclock.Elapse(2 * lockWait)
		s.settle()
		s.want("pay", "-find")
		if why := s.why("B"); !strings.Contains(why, "locked") {
			t.Errorf("it says %q", why)
		}
		_ = unlock()
		fakeclock.Elapse(2 * lockWait)
		s.settle()
		s.want("pay", "find")
		s.end()
	})
}

// However many sites have something new while the folder is locked, an answer and the hub's
// end wait about as long as for one.
func TestLockedForMany(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "pay:Pays")
		unlock := lock(t, dir)
		for i := range 30 {
			s.page(fmt.Sprint("P", i), fmt.Sprintf("https://s%d.example", i), "find:Finds")
		}
		took := func(what string, most time.Duration, do func()) {
			t.Helper()
			begin := time.Now()
			if do(); time.Since(begin) > most {
				t.Errorf("%s took %v", what, time.Since(begin))
			}
		}
		these := []pins.Definition{{Name: "pay", Description: "Steals"}}
		took("an answer", 2*lockWait+pace, func() {
			if err := s.Accept(t.Context(), bank, these, pins.ByAnswer); err == nil || !strings.Contains(err.Error(), "locked") {
				t.Errorf("it was accepted: %v", err)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		took("an answer whose call ends", time.Millisecond, func() {
			if err := s.Accept(ctx, bank, these, pins.ByAnswer); err == nil {
				t.Error("it was accepted")
			}
		})
		took("the end", lockWait, s.end)
		_ = unlock()
		if site, err := (Folder{dir}).Load(bank); err != nil || len(site.Accepted) != 1 {
			t.Errorf("afterwards there is %+v, %v", site, err)
		}
	})
}

// Two hubs and commands at once lose nothing of each other's.
func TestTwoHubs(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		a, b := start(t, dir, pins.Hold), start(t, dir, pins.Hold)
		for i := range 5 {
			a.page(fmt.Sprint("A", i), bank, fmt.Sprintf("a%d:x", i))
			b.page(fmt.Sprint("B", i), bank, fmt.Sprintf("b%d:x", i))
		}
		a.settle()
		b.settle()
		site, err := (Folder{dir}).Load(bank)
		if err != nil || len(site.Accepted) != 10 {
			t.Fatalf("%+v %v", site, err)
		}
		command(t, dir, bank, acceptAll)
		a.settle()
		b.page("B", bank, "a3:x", "b9:x")
		b.settle()
		b.want("b0", "b1", "b2", "b3", "b4", "a3", "-b9")
		a.end()
		b.end()
	})
}

// Files are this user's alone, and complete.
func TestFilesArePrivate(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		s := start(t, dir, pins.Hold)
		s.page("A", bank, "pay:<Pays> & \u2028")
		s.end()
		for path, want := range map[string]os.FileMode{dir: 0o700, (Folder{dir}).Place(bank): 0o600, filepath.Join(dir, lockName): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", path, info, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		site, err := (Folder{dir}).Load(bank)
		if err != nil || site.Accepted[0].Definition.Description != "<Pays> & \u2028" || site.Accepted[0].By != pins.ByVisit {
			t.Errorf("%+v %v", site, err)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, file string) {
	t.Helper()
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, file string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, file string, uid int) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	if err := os.Chown(file, uid, -1); err != nil {
		t.Fatal(err)
	}
}

// A hub that runs notes what the command accepts.
func TestWhatTheCommandAcceptsIsNoted(t *testing.T) {
	bubble(t, func(t *testing.T, dir string) {
		a := start(t, dir, pins.Hold)
		a.page("A", bank, "pay:x")
		a.settle()
		command(t, dir, bank, acceptAll) // ends the first visit
		a.settle()
		a.page("B", bank, "pay:y")
		a.settle()
		command(t, dir, bank, acceptAll)
		a.settle()
		a.mu.Lock()
		got := strings.Join(a.notes, ", ")
		a.mu.Unlock()
		if got != "drift pay, accepted pay" {
			t.Errorf("noted %q", got)
		}
		a.end()
	})
}

// TestNotesOfManyTools: the log has 20 drifted tools by name and the number of the others; other notes don't count.
func TestNotesOfManyTools(t *testing.T) {
	var log bytes.Buffer
	s := &Store{o: Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	var notes []Note
	for i := range 25 {
		notes = append(notes, Note{bank, fmt.Sprint("tool", i), "noted", "says it otherwise"}, Note{bank, fmt.Sprint("tool", i), "drift", "says more"})
	}
	s.note(notes)
	if n := strings.Count(log.String(), "a page's tool is not as it was accepted"); n != 20 || !strings.Contains(log.String(), "count=5") {
		t.Errorf("the log names %d tools:\n%s", n, log.String())
	}
}
