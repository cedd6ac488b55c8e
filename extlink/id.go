package extlink

// DefaultID is the id of the hub's own extension. It follows from the key in the extension's manifest.
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
