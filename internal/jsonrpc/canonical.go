package jsonrpc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gowebpki/jcs"
)

// CanonicalArguments returns the canonical form of a call's arguments (RFC 8785); empty arguments become {}.
// Arguments without a canonical form, because they are not JSON, or have a repeated member or an unpaired surrogate,
// stay as they are.
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

// HashArguments returns "sha256:" and the hash of [CanonicalArguments].
func HashArguments(args json.RawMessage) string {
	sum := sha256.Sum256(CanonicalArguments(args))
	return "sha256:" + hex.EncodeToString(sum[:])
}
