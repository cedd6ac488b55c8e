package webmcphub_test

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// What every source file is held to, whatever its room.

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	_, all := sources(t)
	for _, s := range all {
		commented[s.dir] = commented[s.dir] || s.file.Doc != nil
	}
	for dir, ok := range commented {
		if !ok {
			t.Errorf("the package in %s has no comment: say in its doc.go what lives there, what it promises, and who may call it from where", dir)
		}
	}
}

// TestNoSleep: a test waits for what happens, not for time to pass, and an actor
// waits for nothing. What lets a synctest bubble's fake time pass is
// internal/fakeclock.
func TestNoSleep(t *testing.T) {
	fset, all := sources(t)
	for _, s := range all {
		pkg := importName(s.file, "time")
		if !s.test && !under(s.dir, "actors") || pkg == "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" && isIdent(sel.X, pkg) {
				t.Errorf("%s sleeps: wait for an event instead, or use testing/synctest and internal/fakeclock; actors use timers that send messages", fset.Position(sel.Pos()))
			}
			return true
		})
	}
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// importName is the name under which a file knows a package, or "".
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path[strings.LastIndex(path, "/")+1:]
		}
	}
	return ""
}
