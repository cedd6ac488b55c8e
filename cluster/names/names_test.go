package names

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "node-7": true, "-": true, strings.Repeat("x", 32): true,
		"": false, strings.Repeat("x", 33): false, "N": false, "a/b": false, "a~b": false, "ä": false, "a\n": false, "a b": false,
	} {
		if err := Check("node", name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
