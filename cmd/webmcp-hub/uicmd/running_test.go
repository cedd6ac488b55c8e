package uicmd

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fileOf is the file of a hub at an address.
func fileOf(t *testing.T, address string) string {
	t.Helper()
	raw, err := json.Marshal(told{address, "secret"})
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
		if link, err := linkBy(t.Context(), fileOf(t, address)); (err == nil) != good || good && link != text {
			t.Errorf("%q gives %q, %v", text, link, err)
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
	if link, err := linkBy(t.Context(), file); err == nil {
		t.Errorf("a hub that doesn't answer gives the link %s", link)
	}
	<-answers
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file of a hub that runs is removed: %v", err)
	}
	_ = slow.Close()
	if link, err := linkBy(t.Context(), file); err == nil {
		t.Errorf("a hub that is gone gives the link %s", link)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file of a hub that is gone stays")
	}
}
