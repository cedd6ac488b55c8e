package jsonrpc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gowebpki/jcs"
)

// Arguments is the canonical form of a call's arguments (RFC 8785). None at all is {}.
// What has no canonical form, because it is no JSON, or has a member twice or half a
// surrogate pair, stays as it stands.
func CanonicalArguments(args json.RawMessage) []byte {
	if len(bytes.TrimSpace(args)) == 0 {
		return []byte("{}")
	}
	canonical, err := jcs.Transform(args)
	if err != nil {
		return args
	}
	return canonical
}

// Hash gives "sha256:" and the hash of [Arguments].
func HashArguments(args json.RawMessage) string {
	sum := sha256.Sum256(CanonicalArguments(args))
	return "sha256:" + hex.EncodeToString(sum[:])
}
