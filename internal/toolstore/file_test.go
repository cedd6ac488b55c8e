package toolstore

import (
	"bufio"
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// childOf names the file that this process, started by TestKill, writes to.
const childOf = "WEBMCP_TOOLSTORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childOf); path != "" {
		child(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// child says how many tools it found, and then writes one after the other,
// and some away, saying each when it is written.
func child(path string) {
	f, all := openFile(path, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if f.db == nil {
		fmt.Println("no file")
		return
	}
	for k := range all {
		fmt.Println("has", k.tool)
	}
	fmt.Println("ready")
	n := 0
	for k := range all {
		i, _ := strconv.Atoi(k.tool)
		n = max(n, i)
	}
	for {
		n++
		gone := []key{{"https://a.test", strconv.Itoa(n - 50)}}
		if err := f.write(map[key]*entry{{"https://a.test", strconv.Itoa(n)}: newEntry("https://a.test/", strconv.Itoa(n), time.Now())}, gone); err != nil {
			fmt.Println("failed", err)
			return
		}
		fmt.Println("wrote", n)
	}
}

func newEntry(url, tool string, seen time.Time) *entry {
	return &entry{offer.CachedTool{Site: names.SiteOf(url), URL: url, Tool: registry.PageTool{Name: tool, Description: strings.Repeat("long ", 200), InputSchema: []byte(`{"type":"object"}`)}}, seen}
}

// TestKill kills a process that writes, again and again: what it said that it
// wrote is there afterwards, and the file is never corrupt.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	wrote := 0
	for round := range 30 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childOf+"="+path)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		lines := bufio.NewScanner(out)
		left := 1 + rand.IntN(12) // writes before the kill, which comes in the middle of a later one
		for lines.Scan() {
			word, what, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "has":
				has[what] = true
				continue
			case "ready":
				for i := max(1, wrote-49); i <= wrote; i++ {
					// The write that the last kill met may have taken one more away.
					if !has[strconv.Itoa(i)] && i > wrote-49 {
						t.Fatalf("round %d: %d was written and is lost; there are %d", round, i, len(has))
					}
				}
				continue
			case "wrote":
				wrote, _ = strconv.Atoi(what)
				if left--; left == 0 {
					_ = c.Process.Kill()
				}
				continue
			}
			_ = c.Process.Kill()
			_ = c.Wait()
			t.Fatalf("round %d: the child says %q\n%s", round, lines.Text(), stderr.String())
		}
		_ = c.Wait()
		if strings.Contains(stderr.String(), "corrupt") || left > 0 {
			t.Fatalf("round %d: %s", round, stderr.String())
		}
	}
	if found, _ := filepath.Glob(path + ".corrupt*"); len(found) > 0 {
		t.Errorf("moved aside: %q", found)
	}
}

func opened(t *testing.T, path string) (f *file, all map[key]*entry, said string) {
	t.Helper()
	var log bytes.Buffer
	f, all = openFile(path, slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(f.close)
	return f, all, log.String()
}

// A corrupt file, however it came to be so, is moved aside and never stops the start.
func TestCorruptFiles(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.db")
	f, _, _ := opened(t, good)
	for i := range 200 {
		if err := f.write(map[key]*entry{{"https://a.test", strconv.Itoa(i)}: newEntry("https://a.test/", strconv.Itoa(i), time.Now())}, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.close()
	f.db = nil
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	garble := func(from, to int) []byte {
		b := bytes.Clone(content)
		for i := from; i < min(to, len(b)); i++ {
			b[i] = byte(i*7 + 3)
		}
		return b
	}
	cases := map[string][]byte{
		"text":                []byte(strings.Repeat("not a database ", 2000)),
		"one byte":            {1},
		"zeros":               make([]byte, len(content)),
		"both metas":          garble(0, 2*page),
		"everything else":     garble(2*page, len(content)),
		"cut to the metas":    content[:2*page],
		"cut in the middle":   content[:len(content)/2/page*page],
		"cut within a page":   content[:len(content)/2+100],
		"cut within the meta": content[:100],
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		at := r.IntN(len(content))
		cases[fmt.Sprintf("garbled %d", i)] = garble(at, at+r.IntN(3*page))
	}
	aside := 0
	for name, broken := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			f, _, said := opened(t, path)
			if f.db == nil {
				t.Fatalf("it goes on without a file: %s", said)
			}
			found, _ := filepath.Glob(path + ".corrupt*")
			if len(found) > 0 {
				aside++
				if kept, _ := os.ReadFile(found[0]); !bytes.Equal(kept, broken) && !strings.HasPrefix(name, "garbled") {
					t.Error("the corrupt file was not kept as it was")
				}
				if !strings.Contains(said, "was corrupt") {
					t.Errorf("said %q", said)
				}
			}
			_ = f.write(map[key]*entry{{"https://b.test", "x"}: newEntry("https://b.test/", "x", time.Now())}, nil)
		})
	}
	if aside < 5 {
		t.Errorf("only %d were found to be corrupt", aside)
	}
}

func TestLockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	first, _, _ := opened(t, path)
	second, all, said := opened(t, path)
	if first.db == nil || second.db != nil || len(all) != 0 || !strings.Contains(said, "in use by another hub") {
		t.Errorf("said %q", said)
	}
	if err := second.write(map[key]*entry{{"https://b.test", "x"}: newEntry("https://b.test/", "x", time.Now())}, nil); err != nil {
		t.Error(err)
	}
}

func TestFileThatCanNotBeOpened(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "file", "store.db")} {
		if path != dir {
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, _, said := opened(t, path)
		if f.db != nil || !strings.Contains(said, "can't be opened") {
			t.Errorf("%s: said %q", path, said)
		}
	}
}

func TestFileIsPrivateAndComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "store.db")
	f, _, _ := opened(t, path)
	yes := true
	e := newEntry("https://a.test/x", "t", time.Unix(1700000000, 0).UTC())
	e.Tool.Title, e.Tool.Runtime, e.Tool.OutputSchema, e.Tool.Meta, e.Tool.Annotations.Cache = "T", offer.MCPB, []byte(`{"a":1}`), []byte(`{"a/b":1}`), &yes
	if err := f.write(map[key]*entry{{"https://a.test", "t"}: e}, nil); err != nil {
		t.Fatal(err)
	}
	f.close()
	f.db = nil
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Error(name, info.Mode(), err)
		}
	}
	_, all, _ := opened(t, path)
	got := all[key{"https://a.test", "t"}]
	if got == nil || !got.Tool.Same(&e.Tool) || got.URL != e.URL || got.Site != e.Site || !got.seen.Equal(e.seen) {
		t.Errorf("got %+v", got)
	}
}

// An entry that says it is another site's, or nothing at all, is dropped, once.
func TestEntriesThatCanNotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	f, _, _ := opened(t, path)
	put := map[key]*entry{{"https://a.test", "good"}: newEntry("https://a.test/", "good", time.Now()), {"b.test", "bad"}: newEntry("https://a.test/", "bad", time.Now())}
	if err := f.write(put, nil); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"c.test\x00json", "no separator"} {
		if err := f.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(k), []byte("{")) }); err != nil {
			t.Fatal(err)
		}
	}
	f.close()
	f.db = nil
	for _, want := range []int{3, 0} {
		f, all, said := opened(t, path)
		if got := strings.Count(said, "it is dropped"); got != want || len(all) != 1 || all[key{"https://a.test", "good"}] == nil {
			t.Errorf("%d are dropped, want %d, and %d are there: %s", got, want, len(all), said)
		}
		f.close()
		f.db = nil
	}
}
