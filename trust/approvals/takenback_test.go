package approvals

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/private"
)

// removed has the person remove the file, and the store notice.
func removed(t *testing.T, dir string) {
	t.Helper()
	synctest.Wait() // it may be being written
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	fakeclock.Elapse(2 * poll)
}

// An answer that was given again can be taken back, also after the first one's time.
func TestAnswersThatWereGivenAgainAreTakenBack(t *testing.T) {
	for name, given := range map[string]func(h *hub){
		"once the first was over": func(h *hub) {
			fakeclock.Elapse(30 * time.Minute)
			h.Keep(lasting("other", time.Hour)) // so that no mark is due when the hour is over
			fakeclock.Elapse(35 * time.Minute)
			h.Keep(lasting("buy", 24*time.Hour))
		},
		"beside the first": func(h *hub) { // by another session of the client
			h.Keep(lasting("other", 2*time.Hour))
			fakeclock.Elapse(time.Minute)
			h.Keep(lasting("buy", 24*time.Hour))
			fakeclock.Elapse(90 * time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "answers")
				h := begin(t, dir)
				h.Keep(lasting("buy", time.Hour))
				given(h)
				removed(t, dir)
				h.wants("", "buy other", "taken back")
				h.Close()
			})
		})
	}
}

// A short answer beside a long one about the same shortens nothing, in whichever order they
// are given.
func TestTheLongestAnswerCounts(t *testing.T) {
	for name, holds := range map[string][]time.Duration{"long first": {30 * 24 * time.Hour, time.Hour}, "short first": {time.Hour, 30 * 24 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "answers")
				h := begin(t, dir)
				for _, d := range holds {
					h.Keep(lasting("buy", d))
					fakeclock.Elapse(time.Minute)
				}
				fakeclock.Elapse(3 * time.Hour)
				h.wants("", "", "")
				if got := inFile(t, dir); got != "buy" {
					t.Errorf("the file has %q", got)
				}
				removed(t, dir)
				h.wants("", "buy", "taken back")
				h.Close()
			})
		})
	}
}

// What is taken back while the store waits for its lock in vain is taken back.
func TestTakenBackWhileItIsLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("buy", 24*time.Hour))
		synctest.Wait()
		unlock, err := private.Lock(t.Context(), filepath.Join(dir, lockName))
		if err != nil {
			t.Fatal(err)
		}
		h.Keep(lasting("sell", time.Hour)) // waits for private.LockWait
		fakeclock.Elapse(private.LockWait / 2)
		if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
			t.Fatal(err)
		}
		fakeclock.Elapse(private.LockWait + 2*poll)
		h.wants("", "buy", "taken back")
		unlock()
		h.Close()
	})
}

// What is taken back before anybody follows the store is told to who does then: a hub may
// wait between the two for the Chrome of the hub before.
func TestTakenBackBeforeAnybodyFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		h.Keep(lasting("buy", 24*time.Hour))
		h.Close()
		s := OpenStore(dir, slog.New(slog.DiscardHandler))
		fakeclock.Elapse(poll)
		removed(t, dir)
		gone := ""
		s.Follow(func(all []Lasting) { gone += all[0].Tool })
		if len(s.Kept()) != 1 || gone != "buy" {
			t.Errorf("it knew of %d, and %q was taken back", len(s.Kept()), gone)
		}
		s.Close()
	})
}

// The file has the browser's name, if it has one; answers about several browsers are several.
func TestAnswersOfSeveralBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "answers")
		h := begin(t, dir)
		for _, browser := range []string{"", "test", "production"} {
			l := lasting("buy", time.Hour)
			l.Browser = browser
			h.Keep(l)
		}
		h.Close()
		text, err := os.ReadFile(filepath.Join(dir, fileName))
		in, wrong := parse(text)
		if err != nil || wrong != nil || len(in.Answers) != 3 || in.Answers[0].Browser != "" || in.Answers[1].Browser != "test" || in.Answers[2].Browser != "production" {
			t.Errorf("%s: %v %v", text, err, wrong)
		}
		h = begin(t, dir)
		h.wants("buy buy buy", "", "")
		h.Close()
	})
}
