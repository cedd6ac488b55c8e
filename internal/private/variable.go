package private

import "strings"

// IsVariable reports whether name can be the name of an environment variable: a letter or _, then letters, digits and
// _, 64 in all. A text that can't may be the secret itself, so no error may repeat it.
func IsVariable(name string) bool {
	const letters, digits = "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"
	return name != "" && len(name) <= 64 && strings.Contains(letters, name[:1]) && strings.Trim(name, letters+digits) == ""
}
