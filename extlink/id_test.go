package extlink

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
	if id, err := idOf(manifest.Key); err != nil || id != DefaultID {
		t.Errorf("the manifest's key gives %q, %v; the hub allows %q", id, err, DefaultID)
	}
}

// idOf is the id of the extension whose manifest has this key: the first half
// of its hash, with the letters a to p for digits.
func idOf(key string) (string, error) {
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return "", fmt.Errorf("the key is not base64: %w", err)
	}
	hash := sha256.Sum256(der)
	id := make([]byte, 0, 32)
	for _, b := range hash[:16] {
		id = append(id, 'a'+b>>4, 'a'+b&15)
	}
	return string(id), nil
}
