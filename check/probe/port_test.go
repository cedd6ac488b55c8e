package probe

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// A Chrome may answer before it says where it listens, and may never say so.
func TestActivePort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profile := t.TempDir()
		got := make(chan string)
		go func() {
			endpoint, err := activePort(t.Context(), profile)
			if err != nil {
				t.Error(err)
			}
			got <- endpoint
		}()
		synctest.Wait() // it has looked once
		if err := os.WriteFile(filepath.Join(profile, "DevToolsActivePort"), []byte("1234\n/devtools/browser/a"), 0o600); err != nil {
			t.Fatal(err)
		}
		if endpoint := <-got; !strings.HasSuffix(endpoint, ":1234/devtools/browser/a") {
			t.Errorf("got %s", endpoint)
		}
		if _, err := activePort(context.Background(), t.TempDir()); err == nil {
			t.Error("it never said so, and that was fine")
		}
	})
}
