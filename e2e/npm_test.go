package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needNPM skips a test where `npm ci` hasn't run for the package-lock.json that is
// there, or fails it where it must.
func needNPM(t *testing.T) {
	t.Helper()
	if why := npmDiffers("."); why != "" {
		missing(t, why+": run `npm ci` in e2e/ (make test does)")
	}
}

// npmPackage is a package in a package-lock.json.
type npmPackage struct {
	Version, Integrity    string
	Optional, DevOptional bool
}

// npmDiffers says how what is installed in a folder differs from its
// package-lock.json; "" if it doesn't. npm notes what it has installed in a lock file
// of its own, without optional packages that are not for this computer.
func npmDiffers(folder string) string {
	var want, have struct{ Packages map[string]npmPackage }
	for name, into := range map[string]any{"package-lock.json": &want, "node_modules/.package-lock.json": &have} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if os.IsNotExist(err) {
			return "the npm packages are not there"
		}
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			return fmt.Sprintf("%s can't be read (%v)", name, err)
		}
	}
	var differ []string
	for path, p := range want.Packages {
		installed, there := have.Packages[path]
		name := strings.TrimPrefix(path, "node_modules/")
		switch {
		case path == "" || !there && (p.Optional || p.DevOptional):
		case !there:
			differ = append(differ, name+" is missing")
		case installed.Version == p.Version && installed.Integrity != p.Integrity:
			differ = append(differ, name+" is another "+p.Version)
		case installed.Version != p.Version:
			differ = append(differ, fmt.Sprintf("%s is %s instead of %s", name, cmp.Or(installed.Version, "unknown"), p.Version))
		}
	}
	slices.Sort(differ)
	switch n := len(differ); {
	case n == 0:
		return ""
	case n > 3:
		differ = append(differ[:3], fmt.Sprintf("and %d more", n-3))
	}
	return "the npm packages are not those of package-lock.json (" + strings.Join(differ, ", ") + ")"
}

// Packages of another package-lock.json are not taken for those of this one.
func TestOldPackagesAreNoticed(t *testing.T) {
	const a, b = `"node_modules/a":{"version":"1.0.0","integrity":"x"}`, `"node_modules/b":{"version":"2.0.0","integrity":"y"}`
	for _, c := range []struct{ want, have, says string }{
		{`"":{"name":"e2e"},` + a, a, ""},
		{a, a + "," + b, ""}, // which changes nothing
		{a + "," + b, a, "b is missing"},
		{a + `,"node_modules/b":{"version":"2.0.0","optional":true}`, a, ""},
		{a, strings.Replace(a, "1.0.0", "0.9.0", 1), "a is 0.9.0 instead of 1.0.0"},
		{a, strings.Replace(a, `"x"`, `"z"`, 1), "a is another 1.0.0"},
		{a, "", "not there"},
	} {
		dir := t.TempDir()
		write := func(name, packages string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"packages":{`+packages+`}}`), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("package-lock.json", c.want)
		if c.have != "" {
			write("node_modules/.package-lock.json", c.have)
		}
		if got := npmDiffers(dir); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("want %s, have %s: %q", c.want, c.have, got)
		}
	}
}
