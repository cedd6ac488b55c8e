package extlink

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
)

// TestDefaultID holds the id to the extension that is in this repository.
func TestDefaultID(t *testing.T) {
	if !ValidID(DefaultID) || ValidID(DefaultID[1:]) || ValidID("z"+DefaultID[1:]) {
		t.Error("ValidID")
	}
	text, err := os.ReadFile("../extension/manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the extension is not here")
	}
	var manifest struct{ Key string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if id, err := IDOf(manifest.Key); err != nil || id != DefaultID {
		t.Errorf("the manifest's key gives %q, %v; the hub allows %q", id, err, DefaultID)
	}
}
