package webmcphub_test

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// bracketed is a name in brackets: [Name], [Type.Member], [pkg.Name] or [pkg.Type.Member].
	bracketed = regexp.MustCompile(`\[\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*){0,2})\]`)
	// named is what a comment says to be packages: "Package a", "in packages a, b and c/d".
	named   = regexp.MustCompile(`(?:\bPackages?|\bThe packages|(?:\b(?:in|and|of|by|from)|[,(;]) packages?) ((?:[a-z][a-z0-9/]*(?:, and |, | and ))*[a-z][a-z0-9/]*)`)
	between = regexp.MustCompile(`, and |, | and `)
)

// notNamed are words that follow "package" and are no names.
var notNamed = strings.Fields("are below in main of that which")

// TestPackageComments: the packages and identifiers that a package's comment names are there.
func TestPackageComments(t *testing.T) {
	fset, all := sources(t)
	declared := map[string]map[string]bool{} // what the packages of a folder declare, members as Type.Member
	packages := map[string][]string{}        // folders, by the name of their package
	for _, s := range all {
		if s.test {
			continue
		}
		if declared[s.dir] == nil {
			declared[s.dir] = map[string]bool{}
			name := s.file.Name.Name
			packages[name] = append(packages[name], s.dir)
			if base := path.Base(s.dir); base != name {
				packages[base] = append(packages[base], s.dir)
			}
		}
		declare(s.file, declared[s.dir])
	}
	there := func(folders []string, name string) bool {
		return len(folders) == 0 || slices.ContainsFunc(folders, func(dir string) bool {
			of, _, member := strings.Cut(name, ".")
			return declared[dir][name] || member && declared[dir][of+".*"]
		})
	}
	for _, s := range all {
		if s.file.Doc == nil || s.test {
			continue
		}
		at, text := fset.Position(s.file.Doc.Pos()), strings.Join(strings.Fields(s.file.Doc.Text()), " ")
		for _, m := range bracketed.FindAllStringSubmatch(text, -1) {
			folders, name := []string{s.dir}, m[1]
			if pkg, of, qualified := strings.Cut(name, "."); qualified && !declared[s.dir][pkg] {
				folders, name = packages[pkg], of // a package of another module is in no folder
			}
			if !there(folders, name) {
				t.Errorf("%s names %s, which doesn't exist", at, m[0])
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			for _, name := range between.Split(m[1], -1) {
				if !slices.Contains(notNamed, name) && packages[path.Base(name)] == nil {
					t.Errorf("%s names the package %s, which doesn't exist", at, name)
				}
			}
		}
	}
}

// declare adds what a file declares. Type.* says that a type has members that are declared elsewhere.
func declare(file *ast.File, names map[string]bool) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			} else {
				names[owner(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
					declareMembers(spec, names)
				}
			}
		}
	}
}

func declareMembers(spec *ast.TypeSpec, names map[string]bool) {
	var members *ast.FieldList
	switch is := spec.Type.(type) {
	case *ast.StructType:
		members = is.Fields
	case *ast.InterfaceType:
		members = is.Methods
	default: // such as an alias
		names[spec.Name.Name+".*"] = true
		return
	}
	for _, f := range members.List {
		for _, n := range f.Names {
			names[spec.Name.Name+"."+n.Name] = true
		}
		if f.Names == nil {
			names[spec.Name.Name+".*"] = true
		}
	}
}

// owner is the name of a receiver's type.
func owner(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return owner(e.X)
	case *ast.IndexExpr:
		return owner(e.X)
	case *ast.IndexListExpr:
		return owner(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
