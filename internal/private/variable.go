package private

import "regexp"

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// IsVariable says whether name can be that of a variable of the environment. Of a text that can't,
// nobody knows that it is not the secret itself: no error may repeat it.
func IsVariable(name string) bool { return variable.MatchString(name) }
