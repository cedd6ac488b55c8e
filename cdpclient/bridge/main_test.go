package bridge

import (
	"fmt"
	"os"
	"testing"

	"webmcphub/cdpclient/launch"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range chromes {
		if err := b.close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// needChrome skips a test where there is no browser, unless that is an error.
func needChrome(t testing.TB) {
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
}
