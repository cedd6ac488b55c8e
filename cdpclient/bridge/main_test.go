package bridge

import (
	"os"
	"testing"

	"webmcphub/cdpclient/launch"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
