package fleet

import (
	"os"
	"testing"

	"webmcphub/cdpclient/launch"
)

// A process of this very program passes for a Chrome that is started.
func TestFakeChromeIsStarted(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := launch.Start(t.Context(), launch.Options{ExecutablePath: self, Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.Version.Product == "" {
		t.Errorf("it says that it is %+v", c.Version)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
