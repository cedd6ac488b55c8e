//go:build !nextprotocol

package wire

// The versions of the protocol that this build speaks.
const (
	Oldest = 1
	Newest = 1
)

// ahead is what a build of a later version puts into messages besides: nothing here.
func ahead(body []byte) []byte { return body }
