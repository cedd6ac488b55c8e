package page

import (
	"io/fs"
	"regexp"
	"testing"
)

// TestNamesAreDefinedOnce: the files of a folder share one object, so that a name that two of them define would be the
// later one's for both.
func TestNamesAreDefinedOnce(t *testing.T) {
	defines := regexp.MustCompile(`(?m)^\s*hub\.(\w+) = `)
	names, err := fs.Glob(files, "acting/*.js")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	by := map[string]string{}
	for _, name := range names {
		source, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range defines.FindAllStringSubmatch(string(source), -1) {
			if other, defined := by[found[1]]; defined {
				t.Errorf("hub.%s is defined in %s and in %s", found[1], other, name)
			}
			by[found[1]] = name
		}
	}
	if len(by) < 20 {
		t.Errorf("found only %d definitions", len(by))
	}
}
