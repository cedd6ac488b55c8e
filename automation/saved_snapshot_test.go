package automation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

func TestSavedSnapshotHasNoSecrets(t *testing.T) {
	r := openReal(t, automationtest.HTML("<!doctype html><h1>Header</h1><p>card 4111 1111 1111 1111</p>"))
	dir := t.TempDir()
	r.client.Roots = roots(dir)
	path := filepath.Join(dir, "page.txt")
	r.says("take_snapshot", `{"filePath":"`+path+`"}`, "The snapshot was saved to "+path)
	got, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(got), `h1 "Header"`) || !strings.Contains(string(got), "card [masked]") || strings.Contains(string(got), "4111") {
		t.Errorf("the file has %s (%v)", got, err)
	}
}
