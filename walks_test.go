package webmcphub

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// step is a step of a walk: [`Type.Func`](../folder/file.go).
var step = regexp.MustCompile("(?m)^\\d+\\. \\[`([\\w.]+)`\\]\\(\\.\\./([\\w/.-]+\\.go)\\)")

// TestWalks: each step of docs/walks.md names a function that is declared in
// the file that it links to, and a walk has at most fifteen steps.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile("docs/walks.md")
	if err != nil {
		t.Fatal(err)
	}
	walks := strings.Split(string(text), "\n## ")[1:]
	if len(walks) != 4 {
		t.Fatalf("docs/walks.md has %d walks, not those of a call, a registration, a click and a call by a gateway", len(walks))
	}
	for _, walk := range walks {
		steps := step.FindAllStringSubmatch(walk, -1)
		if n := len(regexp.MustCompile(`(?m)^\d+\. `).FindAllString(walk, -1)); n != len(steps) || n < 2 || n > 15 {
			t.Errorf("of %d steps, %d name a function and its file: %.40q", n, len(steps), walk)
		}
		for _, s := range steps {
			if declared := functions(t, s[2]); !slices.Contains(declared, s[1]) {
				t.Errorf("%s doesn't declare %s, but %q", s[2], s[1], declared)
			}
		}
	}
}

// functions are those that a file declares, methods as Type.Method.
func functions(t *testing.T, file string) (names []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), path.Clean(file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
		case f.Recv == nil:
			names = append(names, f.Name.Name)
		default:
			names = append(names, receiver(f.Recv.List[0].Type)+"."+f.Name.Name)
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
