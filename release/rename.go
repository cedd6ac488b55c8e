package release

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
)

// renamed returns the names with changes, such as "owner=me" and "npm=@me/webmcp-hub". A new owner is in all names that
// have the old one. The module's path becomes one on GitHub, unless a change says otherwise.
func (n names) renamed(changes []string) (names, error) {
	fields := reflect.ValueOf(&n).Elem()
	set := map[string]bool{}
	for _, change := range changes {
		name, value, ok := strings.Cut(change, "=")
		field := fields.FieldByNameFunc(func(f string) bool { return strings.EqualFold(f, name) })
		if !ok || !field.IsValid() || value == "" {
			return n, fmt.Errorf("%q is no change of release/names.json: say owner=NAME or the like", change)
		}
		if name == "owner" {
			old := n.Owner
			for i := range fields.NumField() {
				field := fields.Field(i)
				field.SetString(strings.ReplaceAll(field.String(), old, value))
			}
			if !set["module"] {
				n.Module = "github.com/" + value + "/webmcp-hub"
			}
		}
		field.SetString(value)
		set[name] = true
	}
	return n, nil
}

// rename puts the new names into the files of the repository in root: the module's path into Go files and go.mod, the npm
// package and the owner into pages, and what writeFiles writes. The changes aren't committed.
func rename(root string, old, n names) error {
	listed, err := git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	var (
		quoted  = regexp.MustCompile(`"` + regexp.QuoteMeta(old.Module) + `([/"])`)
		modfile = regexp.MustCompile(`(?m)(^|\s)` + regexp.QuoteMeta(old.Module) + `([/\s])`)
		npm     = regexp.MustCompile(`(-y |--global )` + regexp.QuoteMeta(old.NPM) + `\b`)
		owner   = regexp.MustCompile(`\b` + regexp.QuoteMeta(old.Owner) + `/`)
	)
	for path := range strings.SplitSeq(listed, "\x00") {
		file := filepath.Join(root, path)
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, or a link
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		changed := content
		switch filepath.Ext(path) {
		case ".go":
			changed = quoted.ReplaceAll(content, []byte(`"`+n.Module+`$1`))
			if !bytes.Equal(changed, content) {
				if changed, err = format.Source(changed); err != nil { // which sorts imports
					return fmt.Errorf("%s: %w", path, err)
				}
			}
		case ".mod":
			changed = modfile.ReplaceAll(content, []byte("${1}"+n.Module+"$2"))
		case ".md", ".yml":
			changed = npm.ReplaceAll(content, []byte("${1}"+n.NPM))
			changed = owner.ReplaceAll(changed, []byte(n.Owner+"/"))
		}
		if bytes.Equal(changed, content) {
			continue
		}
		if err := os.WriteFile(file, changed, info.Mode()); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "release/names.json"), encode(n), 0o644); err != nil {
		return err
	}
	return writeFiles(root, n)
}
