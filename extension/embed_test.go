package extension

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is installed is what lies here, but for sources and tests.
func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // once more is an update
		if err := (Edition{}).Install(dir); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if name == "test" {
					return filepath.SkipDir
				}
				return nil
			case filepath.Ext(name) == ".go" || name == "package.json" || filepath.Ext(name) == ".svg":
				return nil
			}
			n++
			want, _ := os.ReadFile(name)
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		})
		if err != nil || n < 40 {
			t.Errorf("%d files, %v", n, err)
		}
		for name, text := range map[string]string{"lib/gone.js": "old", "lib/link.js": "older", "notes.txt": "mine"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := (Edition{}).Install(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lib", "gone.js")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an older version's script is left: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "notes.txt")); string(text) != "mine" {
		t.Errorf("the user's own file is %q, %v", text, err)
	}
}

// With automation the manifest has one permission more, and a later install without it takes that away.
func TestInstallAutomation(t *testing.T) {
	dir := t.TempDir()
	has := func() (debugger bool, key string) {
		text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		var m struct {
			Key         string
			Permissions []string
		}
		if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil || len(m.Permissions) < 5 {
			t.Fatalf("%s: %v", text, err)
		}
		return slices.Contains(m.Permissions, "debugger"), m.Key
	}
	if err := (Edition{Automation: true}).Install(dir); err != nil {
		t.Fatal(err)
	}
	debugger, key := has()
	if !debugger {
		t.Error("the permission is missing")
	}
	if err := (Edition{}).Install(dir); err != nil {
		t.Fatal(err)
	}
	if debugger, same := has(); debugger || same != key {
		t.Errorf("after an install without automation: debugger %v, the same key %v", debugger, same == key)
	}
}

// TestVersion: an extension has the hub's version, which Chrome takes only as numbers.
func TestVersion(t *testing.T) {
	for _, c := range []struct{ of, version, name string }{
		{"1.2.3", "1.2.3", "1.2.3"},
		{"1.2.4-dev.7.gabcdef01", "1.2.4", "1.2.4-dev.7.gabcdef01"},
		{"dev", "0.1.0", ""},
		{"", "0.1.0", ""},
	} {
		var m struct {
			Version string
			Name    string `json:"version_name"`
			Key     string
		}
		text, err := Edition{Version: c.of, Store: true}.Read("manifest.json")
		if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil || m.Version != c.version || m.Name != c.name || m.Key != "" {
			t.Errorf("of version %q: %+v, %v", c.of, m, err)
		}
	}
}

func TestInstallTouchesNothingElses(t *testing.T) {
	for name, text := range map[string]string{"letter.txt": "dear", "manifest.json": `{"key":"another's"}`, "content": ""} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var foreign *ForeignFolderError
		if err := (Edition{}).Install(dir); !errors.As(err, &foreign) || foreign.Dir != dir {
			t.Errorf("with %s in it: %v", name, err)
		}
		there, err := os.ReadDir(dir)
		if err != nil || len(there) != 1 {
			t.Errorf("there are %v, %v", there, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Edition{}).Install(file); err == nil {
		t.Error("a file is a folder")
	}
}

// A link that was put into the folder leads nowhere else.
func TestInstallStaysInItsFolder(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	if err := (Edition{}).Install(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "lib")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(dir, "lib")); err != nil {
		t.Skip(err)
	}
	if err := (Edition{}).Install(dir); err == nil {
		t.Error("it is installed through a link")
	}
	if there, err := os.ReadDir(out); err != nil || len(there) > 0 {
		t.Errorf("there are %v, %v", there, err)
	}
}
