package launch

import (
	"os"
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
	if _, err := Find(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs a real browser: %v", err)
	}
}
