package extlink

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// DefaultID is the id of the hub's own extension, which follows from the key
// in its manifest.
const DefaultID = "hcgmadpoiniangaogdpbdfdboofoifng"

// IDOf is the id of the extension whose manifest has this key: the first half
// of its hash, with the letters a to p for digits.
func IDOf(key string) (string, error) {
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

// ValidID says whether a text can be an extension's id.
func ValidID(id string) bool {
	for _, c := range []byte(id) {
		if c < 'a' || c > 'p' {
			return false
		}
	}
	return len(id) == 32
}
