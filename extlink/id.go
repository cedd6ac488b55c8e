package extlink

// DefaultID is the id of the hub's own extension, which follows from the key
// in its manifest.
const DefaultID = "hcgmadpoiniangaogdpbdfdboofoifng"

// ValidID reports whether a text can be an extension's id.
func ValidID(id string) bool {
	for _, c := range []byte(id) {
		if c < 'a' || c > 'p' {
			return false
		}
	}
	return len(id) == 32
}
