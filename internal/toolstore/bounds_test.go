package toolstore

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestWhoseTimeIsOver(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &Store{known: map[key]*entry{}, live: map[key]bool{{"https://a.test", "live"}: true}}
	for tool, seen := range map[string]time.Time{
		"live": now.Add(-2 * Keep), "over": now.Add(-Keep), "almost": now.Add(1 - Keep),
		"ahead": now.Add(Keep), "too far ahead": now.Add(Keep + 1),
	} {
		s.known[key{"https://a.test", tool}] = newEntry("https://a.test/", tool, seen)
	}
	gone := func() (tools []string) {
		for _, k := range s.expired(now) {
			tools = append(tools, k.tool)
		}
		slices.Sort(tools)
		return tools
	}
	if got := gone(); !slices.Equal(got, []string{"over", "too far ahead"}) {
		t.Errorf("over: %q", got)
	}
	for i := range MaxTools - 3 { // live, almost and ahead are there as well
		tool := fmt.Sprint(i)
		s.known[key{"https://b.test", tool}] = newEntry("https://b.test/", tool, now.Add(-Keep/2))
	}
	if got := gone(); !slices.Equal(got, []string{"over", "too far ahead"}) {
		t.Errorf("over, of as many as may be: %q", got)
	}
	s.known[key{"https://b.test", "one more"}] = newEntry("https://b.test/", "one more", now)
	if got := gone(); !slices.Equal(got, []string{"almost", "over", "too far ahead"}) { // the oldest that waits
		t.Errorf("over, of one more: %q", got)
	}
}

func TestRoom(t *testing.T) {
	s := &Store{known: map[key]*entry{}}
	for i := range 2*MaxTools - 1 { // open tabs' tools are not counted out
		s.known[key{fmt.Sprint(i), "x"}] = &entry{}
	}
	if !s.room("https://a.test") {
		t.Error("there is no room for the last one")
	}
	s.known[key{"https://b.test", "x"}] = &entry{}
	if s.room("https://a.test") {
		t.Error("there is room for any number of sites")
	}
}

func TestTheFileForgetsAsWell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	bubble(t, func(t *testing.T) {
		has := func(want ...string) {
			t.Helper()
			f, all, _ := opened(t, path)
			var got []string
			for k := range all {
				got = append(got, k.tool)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the file has %q, want %q", got, want)
			}
			f.close()
			f.db = nil
		}
		s := start(t, path)
		s.page("A", "https://a.test/", "x!", "y!", "z!")
		s.page("A", "https://a.test/", "x", "y!", "z!") // it has thought better of one
		s.Close()
		has("y", "z")
		s = start(t, path)
		s.page("B", "https://b.test/", "other!")
		fakeclock.Elapse(Keep + refresh)
		s.Close()
		has("other")
		fakeclock.Elapse(Keep)
		s = start(t, path)
		s.Close()
		has()
	})
}

func TestTheHourOfAClosedTabsToolIsInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	bubble(t, func(t *testing.T) {
		s := start(t, path)
		s.page("A", "https://a.test/", "x!")
		fakeclock.Elapse(time.Minute)
		closed := time.Now()
		s.apply(registry.PageClosed{Page: "A"})
		s.Close()
		if _, all, _ := opened(t, path); !all[key{"https://a.test", "x"}].seen.Equal(closed) {
			t.Errorf("it was seen at %v, want %v", all[key{"https://a.test", "x"}].seen, closed)
		}
	})
}

// What one tab wants kept is kept, whatever another one of its site says.
func TestTwoTabsThatDiffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.page("A", "https://a.test/", "x!")
		s.page("B", "https://a.test/b", "x")
		s.want("https://a.test x https://a.test/")
		s.page("C", "https://b.test/", "c!", "a!", "d!", "b!", "f!", "e!")
		s.want("https://a.test x https://a.test/ https://b.test a https://b.test/ https://b.test b https://b.test/ https://b.test c https://b.test/ https://b.test d https://b.test/ https://b.test e https://b.test/ https://b.test f https://b.test/")
		s.Close()
	})
}

func TestAFileThatCanNotBeWrittenIsSaidOnce(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "store.db")
	s := Open(Options{Path: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	write := func() {
		s.write(map[key]*entry{{"https://a.test", "x"}: newEntry("https://a.test/", "x", time.Now())}, nil)
	}
	said := func(want int) {
		t.Helper()
		if got := strings.Count(log.String(), "can't be written"); got != want {
			t.Errorf("said %d times, want %d: %s", got, want, log.String())
		}
	}
	s.file.close()
	write()
	write()
	said(1)
	s.file, _, _ = opened(t, path)
	write()
	said(1)
	s.file.close()
	write()
	said(2)
}
