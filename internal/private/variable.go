package private

import "regexp"

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// IsVariable reports whether name can be the name of an environment variable. A text that can't may be the secret
// itself, so no error may repeat it.
func IsVariable(name string) bool { return variable.MatchString(name) }
