package hubtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TabMessages are what every tab's actor handles, but for what its link does. dir is
// the folder of package tab.
func TabMessages(t *testing.T, dir string) []string {
	all := append(Cases(t, SourcesIn(t, dir), "Tab", "dispatch"), ActorMessages...)
	return slices.DeleteFunc(all, func(name string) bool { return name == "tab.Question" }) // an interface: the link handles them
}

// ActorMessages come to every actor.
var ActorMessages = []string{"*actor.Started", "*actor.Stopping", "*actor.Stopped"}

// WantRows fails unless there is a row for each kind of message that each of the actors
// handles, and for no other.
func WantRows(t *testing.T, kinds map[string][]string, rows []Death) {
	t.Helper()
	have := map[string]bool{}
	for _, d := range rows {
		have[d.Actor+" "+d.Message] = true
	}
	for actor, messages := range kinds {
		if len(messages) < 10 {
			t.Errorf("only %d kinds of message were found for the %s actor: %q", len(messages), actor, messages)
		}
		for _, m := range messages {
			if !have[actor+" "+m] {
				t.Errorf("what becomes of the %s actor when it panics at %s? Add a row to deaths", actor, m)
			}
			delete(have, actor+" "+m)
		}
	}
	for row := range have {
		t.Errorf("deaths has a row for %s, which does not exist any more", row)
	}
}

// ReplaceKind puts the kinds that a general one stands for in its place.
func ReplaceKind(t *testing.T, kinds []string, general string, by ...string) []string {
	t.Helper()
	i := slices.Index(kinds, general)
	if i < 0 {
		t.Fatalf("no actor takes %s", general)
	}
	return append(slices.Delete(kinds, i, i+1), by...)
}

// RepliesTo are the tags that an actor's method reply tells apart.
func RepliesTo(t *testing.T, files []*ast.File, typeName string) (tags []string) {
	t.Helper()
	for _, tag := range Cases(t, files, typeName, "reply") {
		tags = append(tags, "reply "+tag)
	}
	return tags
}

// SourcesIn parses the sources of a folder that are no tests.
func SourcesIn(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// Cases are what the first switch of a method tells apart.
func Cases(t *testing.T, files []*ast.File, typeName, method string) (all []string) {
	t.Helper()
	for _, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name != method || receiver(fn) != typeName {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if _, nested := n.(*ast.CaseClause); all != nil && nested {
					return false
				}
				var body *ast.BlockStmt
				switch s := n.(type) {
				case *ast.TypeSwitchStmt:
					body = s.Body
				case *ast.SwitchStmt:
					body = s.Body
				default:
					return true
				}
				for _, c := range body.List {
					for _, e := range c.(*ast.CaseClause).List {
						all = append(all, nameOf(f.Name.Name, e))
					}
				}
				return false
			})
		}
	}
	if all == nil {
		t.Fatalf("%s.%s has no switch", typeName, method)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, "*actor.") })
}

// Receivers are the types that have the method.
func Receivers(files []*ast.File, method string) (all []string) {
	for _, f := range files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == method && fn.Recv != nil {
				all = append(all, f.Name.Name+"."+receiver(fn))
			}
		}
	}
	return all
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(nameOf("", fn.Recv.List[0].Type), "*")
}

// nameOf writes a type or constant of a package as %T would.
func nameOf(pkg string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + nameOf(pkg, e.X)
	case *ast.SelectorExpr:
		return nameOf("", e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return strings.TrimPrefix(pkg+"."+e.Name, ".")
	}
	return ""
}
