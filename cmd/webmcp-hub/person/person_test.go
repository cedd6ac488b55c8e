package person

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestDialog: without a live page, a dialog on the desktop shows the code and what is to be accepted. Only the code in
// it is the right one.
func TestDialog(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the dialog of this system can't be replaced by a script")
	}
	home, shown := t.TempDir(), filepath.Join(t.TempDir(), "shown")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("DISPLAY", ":99")
	t.Setenv("SHOWN", shown)
	if err := os.WriteFile(filepath.Join(home, "zenity"), []byte("#!/bin/sh\ncat > \"$SHOWN.new\"\nmv \"$SHOWN.new\" \"$SHOWN\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", home+":"+os.Getenv("PATH"))
	code := regexp.MustCompile(`Code: (\d{6})`)
	for typed, want := range map[string]error{"right": nil, "wrong": ErrRefused} {
		_ = os.Remove(shown)
		in, person := io.Pipe()
		go func() {
			var text []byte
			for len(text) == 0 && t.Context().Err() == nil {
				text, _ = os.ReadFile(shown)
			}
			is := code.FindSubmatch(text)
			if is == nil || !strings.Contains(string(text), "Accept what has changed") {
				t.Errorf("the dialog shows %q", text)
				is = [][]byte{nil, nil}
			}
			if typed == "wrong" {
				is[1][5] ^= 1
			}
			_, _ = person.Write(append(is[1], '\n'))
		}()
		if err := confirm(context.Background(), "Accept what has changed", in, io.Discard); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v", typed, err)
		}
		_ = in.Close()
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := confirm(context.Background(), "x", strings.NewReader("123456\n"), io.Discard); err == nil || !strings.Contains(err.Error(), "start one with --ui") {
		t.Errorf("without anything that could show a code: %v", err)
	}
}
