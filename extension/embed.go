// Package extension has the files of the browser's extension. Chrome can load the folder of the sources, or one that
// [Edition.Install] has written.
package extension

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
)

//go:embed manifest.json *.js *.html *.css README.md content/*.js lib/*.js shared/*.js icons/*.png
var files embed.FS

// ForeignFolderError is [Install]'s error for a folder with other things in it.
type ForeignFolderError struct{ Dir string }

// Error says what to do, too.
func (e *ForeignFolderError) Error() string {
	return fmt.Sprintf("%s has other files in it; name a folder that is empty, that is not there yet, or that an "+
		"earlier install has written", e.Dir)
}

// An Edition says how the extension's manifest differs from the one in the sources.
type Edition struct {
	// Version is the hub's. If it is empty or no semantic version, the extension has the version in the sources.
	Version string
	// Automation adds the permission "debugger", by which the hub can operate the browser's tabs. Chrome has it among the
	// permissions that can't be asked for later.
	Automation bool
	// Store removes the key: the Chrome Web Store refuses it, and gives the extension a key of its own.
	Store bool
}

var semantic = regexp.MustCompile(`^(\d+\.\d+\.\d+)(-.+)?$`)

func (e Edition) manifest(source []byte) ([]byte, error) {
	version := semantic.FindStringSubmatch(e.Version)
	if version == nil && !e.Automation && !e.Store {
		return source, nil
	}
	var m map[string]any
	if err := json.Unmarshal(source, &m); err != nil {
		return nil, err
	}
	if version != nil { // Chrome wants numbers only as the version, and shows the name
		m["version"], m["version_name"] = version[1], e.Version
	}
	if e.Automation { // Chrome has sessions for frames there since 125
		permissions, _ := m["permissions"].([]any)
		m["permissions"] = append(permissions, "debugger")
		m["minimum_chrome_version"] = "125"
	}
	if e.Store {
		delete(m, "key")
	}
	return json.MarshalIndent(m, "", "  ")
}

// Read returns the extension's file with this name.
func (e Edition) Read(name string) ([]byte, error) {
	text, err := fs.ReadFile(files, name)
	if err == nil && name == manifest {
		text, err = e.manifest(text)
	}
	return text, err
}

// Install writes the extension into a folder, and makes the folder if there is none. It replaces what an earlier Install
// wrote there. In a folder with anything else it changes nothing, and the error is a [ForeignFolderError].
func (e Edition) Install(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // no link in it leads out
	if err != nil {
		return err
	}
	defer root.Close()
	there, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	if len(there) > 0 && !ours(root) {
		return &ForeignFolderError{dir}
	}
	all, err := Names()
	if err != nil {
		return err
	}
	for _, name := range all {
		text, err := e.Read(name)
		if err != nil {
			return err
		}
		if err := errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.WriteFile(name, text, 0o644)); err != nil {
			return err
		}
	}
	return sweep(root, all)
}

// Names returns the names of all files. The manifest is the first: a folder that has it is the extension's own, also when
// the rest could not be written.
func Names() (all []string, err error) {
	all = []string{manifest}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && name != manifest {
			all = append(all, name)
		}
		return err
	})
	return all, err
}

const manifest = "manifest.json"

// ours says whether a folder has this extension in it, of whatever version.
func ours(root *os.Root) bool {
	keyOf := func(text []byte) string {
		var m struct{ Key string }
		_ = json.Unmarshal(text, &m) // then it has none
		return m.Key
	}
	there, err := root.ReadFile(manifest)
	own, _ := files.ReadFile(manifest) // it is embedded
	return err == nil && keyOf(there) != "" && keyOf(there) == keyOf(own)
}

// sweep takes away what an older version had in the extension's own folders.
func sweep(root *os.Root, all []string) error {
	var old []string
	for _, dir := range []string{"content", "lib", "shared", "icons"} {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); !slices.Contains(all, name) &&
				slices.Contains([]string{".js", ".png"}, path.Ext(name)) {
				old = append(old, name)
			}
		}
	}
	for _, name := range old {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
