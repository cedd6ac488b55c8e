package approvals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/private"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lasting is an answer about a tool that holds for so long from now.
func lasting(tool string, holds time.Duration) Lasting {
	now := time.Now()
	return Lasting{Client: "claude", Origin: "https://shop.example", Kind: "page", Tool: tool, Definition: "d", Why: "rule", Given: now, Until: now.Add(holds)}
}

// hub is a store, what it says and what it takes back.
type hub struct {
	*Store
	t       *testing.T
	mu      sync.Mutex
	log     bytes.Buffer
	revoked []string
}

func (h *hub) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(p)
}

// begin opens a store in a bubble of synctest.
func begin(t *testing.T, dir string) *hub {
	t.Helper()
	h := &hub{t: t}
	h.Store = OpenStore(dir, slog.New(slog.NewTextHandler(h, nil)))
	h.Follow(func(all []Lasting) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, l := range all {
			h.revoked = append(h.revoked, l.Tool)
		}
	})
	return h
}

// wants says which tools the store knew when it was opened, what it took back, and what its
// log has.
func (h *hub) wants(kept, revoked, said string) {
	h.t.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, l := range h.Kept() {
		names = append(names, l.Tool)
	}
	if got := strings.Join(names, " "); got != kept {
		h.t.Errorf("it knew of %q, want %q", got, kept)
	}
	if got := strings.Join(h.revoked, " "); got != revoked {
		h.t.Errorf("%q were taken back, want %q", got, revoked)
	}
	if got := h.log.String(); (said == "") != (got == "") || !strings.Contains(got, said) {
		h.t.Errorf("it says %q, want %q", got, said)
	}
}

// inFile are the tools that the file names, and whether it can be read.
func inFile(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return "none"
	}
	var names []string
	var in written
	if err := json.Unmarshal(text, &in); err != nil {
		return "broken"
	}
	for _, e := range in.Answers {
		names = append(names, e.Tool)
	}
	return strings.Join(names, " ")
}

func TestAnswersOutliveTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		fakeclock.Elapse(3 * poll)
		if got := inFile(t, dir); got != "none" {
			t.Errorf("there is a file before there are answers: %s", got)
		}
		h.Keep(lasting("hour", time.Hour))
		h.Keep(lasting("month", 30*24*time.Hour))
		h.wants("", "", "")
		h.Keep(lasting("late", 90*time.Minute)) // closing writes it
		h.Close()
		if got := inFile(t, dir); got != "hour month late" {
			t.Errorf("the file has %q", got)
		}

		fakeclock.Elapse(time.Hour)
		h = begin(t, dir)
		h.wants("month late", "", "")
		if got := inFile(t, dir); got != "month late" {
			t.Errorf("what is over is in the file: %q", got)
		}
		other := begin(t, dir) // which is told of nothing that comes now
		h.Keep(lasting("month", 60*24*time.Hour))
		fakeclock.Elapse(marks)
		h.wants("month late", "", "")
		other.wants("month late", "", "")
		if got := inFile(t, dir); got != "month" {
			t.Errorf("what is over is in the file: %q", got)
		}
		other.Close()
		h.Close()
		fakeclock.Elapse(40 * 24 * time.Hour)
		h = begin(t, dir)
		h.wants("month", "", "") // the later answer counts
		h.Close()
	})
}

// What a person takes out of the file, or breaks in it, holds no longer.
func TestAnswersAreTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		edit          func(path string, text []byte) error
		revoked, says string
	}{
		"removed":   {func(path string, _ []byte) error { return os.Remove(path) }, "one two", "taken back"},
		"broken":    {func(path string, _ []byte) error { return os.WriteFile(path, []byte("{"), 0o600) }, "one two", "it is broken (unexpected EOF); mend it, or remove it"},
		"readable":  {func(path string, _ []byte) error { return os.Chmod(path, 0o644) }, "one two", "may be read or written by other users"},
		"another's": {func(path string, _ []byte) error { return os.Chown(path, 12345, 12345) }, "one two", "belongs to another user (number 12345)"},
		"one taken": {func(path string, text []byte) error { return os.WriteFile(path, without(text, "two"), 0o600) }, "two", "taken back"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "readable" && runtime.GOOS == "windows" {
				t.Skip("rights of files are others there")
			}
			if name == "another's" && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "answers")
				h := begin(t, dir)
				h.Keep(lasting("one", 24*time.Hour))
				synctest.Wait()
				h.Close()
				h = begin(t, dir)
				h.Keep(lasting("two", 24*time.Hour))
				synctest.Wait()
				path := filepath.Join(dir, fileName)
				text, err := os.ReadFile(path)
				if err == nil {
					err = c.edit(path, text)
				}
				if err != nil {
					t.Fatal(err)
				}
				fakeclock.Elapse(2 * poll)
				h.wants("one", c.revoked, c.says)
				h.Close()
			})
		})
	}
}

// without is a file without one of its answers.
func without(text []byte, tool string) []byte {
	var in written
	_ = json.Unmarshal(text, &in)
	for i, e := range in.Answers {
		if e.Tool == tool {
			in.Answers = append(in.Answers[:i], in.Answers[i+1:]...)
			break
		}
	}
	text, _ = json.Marshal(in)
	return text
}

// Of a file that can't be believed no answer counts, and it stays as it is.
func TestFilesThatAreNotBelieved(t *testing.T) {
	entry := func(change string) string {
		all := map[string]string{"client": `"c"`, "origin": `"https://shop.example"`, "kind": `"page"`, "tool": `"t"`, "definition": `"d"`, "askedFor": `"rule"`, "given": `"2000-01-01T00:00:00Z"`, "until": `"2000-02-01T00:00:00Z"`}
		name, value, _ := strings.Cut(change, "=")
		all[name] = value
		var parts []string
		for name, value := range all {
			if value != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", name, value))
			}
		}
		return `{"format":2,"asOf":"2000-01-01T00:00:00Z","answers":[{` + strings.Join(parts, ",") + `}]}`
	}
	for text, says := range map[string]string{
		"":     "it is broken (EOF)",
		"null": "it has format 0",
		"[]":   "it is broken",
		`{"format":3,"asOf":"2000-01-01T00:00:00Z","answers":[]}`:          "it has format 3, and this webmcp-hub knows format 2",
		`{"format":2,"asOf":"2000-01-01T00:00:00Z","answers":[],"more":1}`: "unknown field",
		`{"format":2,"asOf":"2000-01-01T00:00:00Z","answers":[]} {}`:       "more follows its end",
		`{"format":2,"asOf":"soon","answers":[]}`:                          "it is broken",
		entry(`client=`):                      "leaves out what it is about",
		entry(`origin=""`):                    "leaves out what it is about",
		entry(`definition=`):                  "leaves out what it is about",
		entry(`until="2000-12-31T00:00:00Z"`): "impossible times",
		entry(`given="2000-01-15T00:00:00Z"`): "impossible times",
		entry(`tool=7`):                       "it is broken",
		strings.Repeat(" ", maxFile+1):        "is larger than",
		`{"format":2,"asOf":"2000-01-01T00:00:00Z","answers":[` + strings.Repeat("{},", MaxAnswers) + `{}]}`: "it has 1001 answers",
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, fileName)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			h := begin(t, dir)
			h.Keep(lasting("new", time.Hour))
			h.wants("", "", says)
			h.wants("", "", "will be forgotten with this hub")
			h.Close()
			if is, err := os.ReadFile(path); err != nil || string(is) != text {
				t.Errorf("%.40q was overwritten: %.40q %v", text, is, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // the same that is all right
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		in, err := parse([]byte(entry("x=")))
		if err != nil {
			t.Fatal(err)
		}
		key, err := folder(dir).key()
		if err != nil {
			t.Fatal(err)
		}
		in.Answers[0].Mark = mark(key, in.Answers[0].entry)
		text, _ := json.Marshal(in)
		if err := os.WriteFile(filepath.Join(dir, fileName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		h := begin(t, dir)
		h.wants("t", "", "")
		h.Close()
	})
}

// TestAnswersThatNobodyGave: what others write into the file, or change in it, holds nothing; the answers that a person
// gave go on.
func TestAnswersThatNobodyGave(t *testing.T) {
	for name, forge := range map[string]func(in *written){
		"added": func(in *written) { in.Answers = append(in.Answers, marked{entry: entry(lasting("pay", time.Hour))}) },
		"with a mark": func(in *written) {
			in.Answers = append(in.Answers, marked{entry(lasting("pay", time.Hour)), in.Answers[0].Mark})
		},
		"made longer": func(in *written) {
			in.Answers = append(in.Answers, in.Answers[0])
			in.Answers[1].Until = in.Answers[1].Until.Add(time.Hour)
		},
		"of one version": func(in *written) {
			in.Format = unmarkedFormat
			in.Answers = append(in.Answers, marked{entry: entry(lasting("pay", time.Hour))})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "answers")
				h := begin(t, dir)
				h.Keep(lasting("one", time.Hour))
				h.Close()
				text, err := os.ReadFile(filepath.Join(dir, fileName))
				if err != nil {
					t.Fatal(err)
				}
				in, err := parse(text)
				if err != nil {
					t.Fatal(err)
				}
				forge(&in)
				text, _ = json.Marshal(in)
				if err := os.WriteFile(filepath.Join(dir, fileName), text, 0o600); err != nil {
					t.Fatal(err)
				}
				h = begin(t, dir)
				h.wants("one", "", "answers that nobody gave don't count")
				for _, l := range h.Kept() {
					if l.Until.After(time.Now().Add(time.Hour)) {
						t.Errorf("it holds until %v", l.Until)
					}
				}
				h.Close()
				if got := inFile(t, dir); got != "one" {
					t.Errorf("the file has %s", got)
				}
			})
		})
	}
}

// A clock that is set back forgets all answers, so that none holds for longer than it was
// given for.
func TestAClockThatIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("one", 30*24*time.Hour))
		synctest.Wait()
		fakeclock.Elapse(3*time.Hour + poll) // the file says how late it was
		h.Close()
		f := folder(dir)
		later := time.Now()
		if all, err := f.load(later.Add(-2 * marks)); err != errSetBack || len(all) != 0 {
			t.Errorf("%d hold after the clock was set back: %v", len(all), err)
		}
		if all, err := f.load(later.Add(-skew / 2)); err != nil || len(all) != 1 {
			t.Errorf("clocks differ a little: %d, %v", len(all), err)
		}
		// Whatever is written next has none of them, and they don't come back with the time.
		two := lasting("two", 3*time.Hour)
		two.Given = later.Add(-2 * marks)
		if all, _, err := f.add([]Lasting{two}, later.Add(-2*marks)); err != errSetBack || len(all) != 1 || inFile(t, dir) != "two" {
			t.Errorf("%d are kept: %v", len(all), err)
		}
		h = begin(t, dir)
		h.wants("two", "", "")
		text, err := os.ReadFile(f.file())
		if err == nil { // as a hub that writes it a day later, by the clock of before
			err = os.WriteFile(f.file(), bytes.Replace(text, []byte(`"asOf": "2000-`), []byte(`"asOf": "2001-`), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		fakeclock.Elapse(2 * poll)
		h.wants("two", "two", "the computer's clock was set back")
		h.Close()
		if got := inFile(t, dir); got != "" {
			t.Errorf("the file has %q", got)
		}
	})
}

// What a person takes out of the file while it is written doesn't come back.
func TestRemovedWhileItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("one", time.Hour))
		h.Close()
		f, now := folder(dir), time.Now()
		was := f.stamp()
		all, err := f.load(now)
		if err == nil {
			err = os.Remove(f.file())
		}
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if _, err := f.write(all, now, was); err != errChanged || inFile(t, dir) != "none" {
			t.Errorf("%v, and the file has %s", err, inFile(t, dir))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		all, is, err := f.add([]Lasting{lasting("two", time.Hour)}, now)
		if err != nil || len(all) != 1 || is != f.stamp() || inFile(t, dir) != "two" {
			t.Errorf("%v %v, and the file has %s", all, err, inFile(t, dir))
		}
	})
}

func TestAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		for i := range MaxAnswers + 1 {
			h.Keep(lasting(fmt.Sprint("tool", i), time.Hour))
			if i%500 == 0 {
				synctest.Wait()
			}
		}
		h.wants("", "", "1000 answers are kept already")
		h.Close()
		if n := len(strings.Fields(inFile(t, dir))); n != MaxAnswers {
			t.Errorf("the file has %d answers", n)
		}
	})
}

// While somebody else keeps the file locked, nothing is written, and nobody waits for it.
func TestLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("one", time.Hour))
		h.wants("", "", "")
		unlock, err := private.Lock(t.Context(), filepath.Join(dir, lockName))
		if err != nil {
			t.Fatal(err)
		}
		h.Keep(lasting("two", time.Hour))
		fakeclock.Elapse(private.LockWait + time.Second)
		h.wants("", "", "keeps "+filepath.Join(dir, lockName)+" locked")
		unlock()
		h.Keep(lasting("three", time.Hour))
		h.Close()
		if got := inFile(t, dir); got != "one three" {
			t.Errorf("the file has %q", got)
		}
	})
}

// Only its owner may read the file, and it says nothing that is secret.
func TestTheFileIsPrivate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("one", time.Hour))
		h.Close()
		text, err := os.ReadFile(filepath.Join(dir, fileName))
		key, _ := folder(dir).key()
		if want := "{\n \"format\": 2,\n \"asOf\": \"2000-01-01T00:00:00Z\",\n \"answers\": [\n  {\n   \"client\": \"claude\",\n   \"origin\": \"https://shop.example\",\n   \"kind\": \"page\",\n   \"tool\": \"one\",\n   \"definition\": \"d\",\n   \"askedFor\": \"rule\",\n   \"given\": \"2000-01-01T00:00:00Z\",\n   \"until\": \"2000-01-01T01:00:00Z\",\n   \"mark\": \"" + mark(key, entry(lasting("one", time.Hour))) + "\"\n  }\n ]\n}"; err != nil || string(text) != want {
			t.Errorf("%s %v", text, err)
		}
		if runtime.GOOS == "windows" {
			return
		}
		for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600, filepath.Join(dir, lockName): 0o600, filepath.Join(dir, keyName): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v", path, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}
