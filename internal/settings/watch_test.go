package settings

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"webmcphub/internal/fakeclock"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// watched tells what a file has each time that it has changed, until stop.
func watched(path string) (told chan string, stop func()) {
	told = make(chan string, 10)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	was := StampOf(path)
	go func() {
		defer close(done)
		WatchFile(ctx, path, was, func() {
			text, _ := os.ReadFile(path)
			told <- string(text)
		})
	}()
	return told, func() { cancel(); <-done }
}

// TestHalfWritten: a file that somebody writes is read once it is complete.
func TestHalfWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		write(t, path, "")
		told, stop := watched(path)
		text := ""
		for range 3 { // which makes sense at each moment
			text += "a line\n"
			write(t, path, text)
			fakeclock.Elapse(WatchEvery)
			synctest.Wait()
		}
		if len(told) > 0 {
			t.Errorf("%q is told of a file that is being written", <-told)
		}
		fakeclock.Elapse(2 * WatchEvery)
		synctest.Wait()
		if len(told) != 1 {
			t.Fatalf("it was told %d times", len(told))
		}
		if got := <-told; got != text {
			t.Errorf("%q is told", got)
		}
		for range 2 * maxWait { // somebody never stops
			text += "a line\n"
			write(t, path, text)
			fakeclock.Elapse(WatchEvery)
			synctest.Wait()
		}
		if len(told) == 0 {
			t.Error("nothing is told of a file that is written all the time")
		}
		stop()
	})
}

// TestPutInPlace: a file that is removed and written anew is read once it is complete, too.
func TestPutInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		write(t, path, "all of the old one\n")
		old, err := os.Open(path) // so that the new one is another
		if err != nil {
			t.Fatal(err)
		}
		defer old.Close()
		told, stop := watched(path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		write(t, path, "half\n")
		fakeclock.Elapse(WatchEvery)
		synctest.Wait()
		write(t, path, "half\nand half\n")
		fakeclock.Elapse(2 * WatchEvery)
		synctest.Wait()
		if len(told) != 1 {
			t.Fatalf("it was told %d times", len(told))
		}
		if text := <-told; text != "half\nand half\n" {
			t.Errorf("%q is told", text)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		fakeclock.Elapse(WatchEvery)
		synctest.Wait()
		if len(told) != 1 {
			t.Error("that it is gone is not told at once")
		}
		stop()
	})
}
