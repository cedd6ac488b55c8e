package automationtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// patience is how long one thing may take on a busy machine.
const patience = 4 * time.Minute

// browser is the Chromium of this test binary.
type browser struct {
	chrome  *launch.Chrome
	conn    *cdpclient.Conn
	windows windows
}

var (
	args   []string
	shared = sync.OnceValues(start)
	used   bool // shared was called; Main reads it when the tests are over
)

// Main runs the tests, ends the Chromium that they used, and looks for goroutines that are left. Further arguments
// are Chromium's.
func Main(m *testing.M, chromium ...string) {
	args = chromium
	code := m.Run()
	if used {
		if b, err := shared(); err == nil {
			if err := b.close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// costly is a process in reserve, which needs a fifth of the processor time of a start. No test is about it.
const costly = "SpareRendererForSitePerProcess"

func start() (*browser, error) {
	used = true
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	chrome, err := launch.Start(ctx, launch.Options{Headless: true, Args: append([]string{
		"--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1", "--window-size=1280,800", "--disable-features=" +
			costly,
	}, args...)})
	if err != nil {
		return nil, err
	}
	conn := cdpclient.NewConn(countedWire{chrome.Watched()}, func(cdpclient.Message) {})
	return &browser{chrome: chrome, conn: conn}, nil
}

func (b *browser) close() error {
	b.windows.close()
	_ = b.conn.Close()
	<-b.conn.Done()
	return b.chrome.Close()
}

// Conn returns the connection to the Chromium of this test binary. Nobody uses the events of its browser session.
func Conn(t testing.TB) *cdpclient.Conn {
	t.Helper()
	if testing.Short() {
		t.Skip("real Chrome is not started with -short")
	}
	if _, err := launch.Find(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs a real browser: %v", err)
	}
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return b.conn
}

// Context returns a context for what a test does with its tab. It ends with the test, or earlier if something hangs.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("the test's patience is over"))
	t.Cleanup(cancel)
	return ctx
}
