package cdpclient

import (
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		launchHelper()
		return
	}
	goleak.VerifyTestMain(m)
}

// needChrome skips a test where there is no browser, unless that is an error.
func needChrome(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("real Chrome is not started with -short")
	}
	if _, err := FindChrome(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs a real browser: %v", err)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("skipped, needs a shell")
	}
}

// headless starts a real Chrome for a test and a connection to it.
func headless(t testing.TB, browser Inbox) (*Chrome, *Conn) {
	t.Helper()
	needChrome(t)
	chrome, err := Launch(t.Context(), LaunchOptions{Headless: true, Args: []string{"--disable-gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	conn := NewConn(chrome.Wire, browser)
	t.Cleanup(func() {
		_ = conn.Close()
		<-conn.Done()
		if err := chrome.Close(); err != nil {
			t.Error(err)
		}
	})
	return chrome, conn
}
