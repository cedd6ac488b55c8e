package names

import (
	"fmt"
	"strings"
)

// maxName is how long a name may be, in bytes.
const maxName = 32

// Check returns an error unless name is [a-z0-9-]{1,32}. role is "node", "gateway", "tenant" or the like: the error
// mentions it.
func Check(role, name string) error {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, other) {
		return fmt.Errorf("%q can't be the name of a %s: use 1 to %d of a-z, 0-9 and -", name, role, maxName)
	}
	return nil
}
