package livepage

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fileOf is the file of a hub at an address.
func fileOf(t *testing.T, address string) string {
	t.Helper()
	raw, err := json.Marshal(runningPage{Address: address, Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "1.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLinks: only a link to the very page that a hub has told of is one.
func TestLinks(t *testing.T) {
	var says string
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(says)) }))
	defer hub.Close()
	address := hub.URL + "/x/"
	for text, good := range map[string]bool{
		address + "?token=ABC234":                 true,
		address + "?token=ABC234&more":            false,
		address + "?token=ABC234\n":               false,
		"file:///tmp/evil.desktop":                false,
		"http://evil.example/?token=ABC234":       false,
		hub.URL + ".evil.example/x/?token=ABC234": false,
	} {
		says = text
		if got, err := shownBy(t.Context(), fileOf(t, address)); (err == nil) != good || good && got.Link != text {
			t.Errorf("%q gives %q, %v", text, got.Link, err)
		}
	}
}

// TestFilesOfHubsThatAreGone: a file goes with its hub, and not because that is slow.
func TestFilesOfHubsThatAreGone(t *testing.T) {
	slow, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file := fileOf(t, "http://"+slow.Addr().String()+"/x/")
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		if c, err := slow.Accept(); err == nil {
			_ = c.Close() // without an answer
		}
	}()
	if got, err := shownBy(t.Context(), file); err == nil {
		t.Errorf("a hub that doesn't answer gives the link %s", got.Link)
	}
	<-answers
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file of a hub that runs is removed: %v", err)
	}
	_ = slow.Close()
	if got, err := shownBy(t.Context(), file); err == nil {
		t.Errorf("a hub that is gone gives the link %s", got.Link)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file of a hub that is gone stays")
	}
}

// TestTold: a page tells which page it is about, however long that one's address is, and is
// found until it is forgotten.
func TestTold(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("AppData", home)
	log := slog.New(slog.DiscardHandler)
	u, err := UIFlags{UI: AnyPort}.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- u.Serve(ctx) }() // giving links asks for no page
	defer func() {
		cancel()
		<-served
	}()
	for _, about := range []string{"", "http://a.test/" + strings.Repeat("\x01", maxPageFile)} {
		u.About = about
		forget := u.tell()
		all, err := All(t.Context(), 0)
		if err != nil || len(all) != 1 || all[0].PID != os.Getpid() || all[0].About != about[:min(len(about), maxAbout)] || !strings.HasPrefix(all[0].Link, u.Address()+"?token=") {
			t.Errorf("%.20s: %v, %v", about, all, err)
		}
		if none, err := All(t.Context(), 1); err != nil || len(none) > 0 {
			t.Errorf("of another process: %v, %v", none, err)
		}
		forget()
		if none, err := All(t.Context(), 0); err != nil || len(none) > 0 {
			t.Errorf("of one that is forgotten: %v, %v", none, err)
		}
	}
}
