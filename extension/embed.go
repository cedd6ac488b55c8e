// Package extension has the files of the browser's extension, as they are to be
// loaded: the folder that they lie in can be, too, and so can one that [Install]
// has written, without the sources.
package extension

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

//go:embed manifest.json *.js *.html *.css README.md content/*.js lib/*.js shared/*.js icons/*.png
var files embed.FS

// Files are the extension's files.
func Files() fs.FS { return files }

// ForeignFolderError is [Install]'s error for a folder with other things in it.
type ForeignFolderError struct{ Dir string }

// Error says what to do, too.
func (e *ForeignFolderError) Error() string {
	return fmt.Sprintf("%s has other files in it; name a folder that is empty, that is not there yet, or that an "+
		"earlier install has written", e.Dir)
}

// Install writes the extension into a folder, which it makes. What an earlier
// Install wrote there it replaces; in a folder with anything else it changes
// nothing, and the error is a [ForeignFolderError].
func Install(dir string) error {
	return install(dir, func(manifest []byte) ([]byte, error) { return manifest, nil })
}

// InstallAutomation is [Install] with the permission "debugger", by which the hub can
// operate the browser's tabs. Chrome has it among the permissions that can't be
// asked for later, so this is another manifest.
func InstallAutomation(dir string) error { return install(dir, automated) }

// automated makes a manifest that of an extension which may debug tabs. Chrome has sessions
// for frames there since 125.
func automated(manifest []byte) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, err
	}
	permissions, _ := m["permissions"].([]any)
	m["permissions"] = append(permissions, "debugger")
	m["minimum_chrome_version"] = "125"
	return json.MarshalIndent(m, "", "  ")
}

func install(dir string, edit func(manifest []byte) ([]byte, error)) error {
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
	all, err := list()
	if err != nil {
		return err
	}
	for _, name := range all {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if name == manifest {
			if text, err = edit(text); err != nil {
				return err
			}
		}
		if err := errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.WriteFile(name, text, 0o644)); err != nil {
			return err
		}
	}
	return sweep(root, all)
}

// list are the names of all files, the manifest first: a folder that has it is
// the extension's own, also when the rest could not be written.
func list() (all []string, err error) {
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
