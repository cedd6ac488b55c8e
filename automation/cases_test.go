package automation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"webmcphub/internal/scripttest"
)

// TestCasesDocument holds docs/automation-cases.md to the tests.
func TestCasesDocument(t *testing.T) {
	scripttest.Document(t, "../docs/automation-cases.md", cases(t))
}

// cases lists the tests of automation, each with the named rows of its tables.
func cases(t *testing.T) []byte {
	rooms := map[string]*bytes.Buffer{}
	tests, rows := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" {
				continue
			}
			name := filepath.ToSlash(filepath.Join("automation", filepath.Dir(path)))
			if rooms[name] == nil {
				rooms[name] = &bytes.Buffer{}
			}
			room := rooms[name]
			names := rowNames(f.Body)
			tests, rows = tests+1, rows+max(1, len(names))
			fmt.Fprintf(room, "- `%s`", f.Name.Name)
			if len(names) > 0 {
				fmt.Fprintf(room, " (%d): %s", len(names), strings.Join(names, " · "))
			}
			room.WriteByte('\n')
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	theirs := portedCases(t, "*")
	out := fmt.Appendf(nil, `# Cases that browser automation is tested by

<!-- Made from the tests by: go test ./automation -run TestCasesDocument -update -->

%d cases in %d tests. The names after a test are the rows of its table. Most of the behaviours are those that Playwright's tests of pages and chrome-devtools-mcp's tests of tools
hold their programs to, written anew; the pages and the code are the hub's own. Of tables that are put together, such as that of each tool and each way its tab can end, only the test is named.

The tests named TestPorted have all %d cases of chrome-devtools-mcp 1.11 about these tools, one row each: in %d the hub does the same, in %d it does otherwise on purpose, and %d can't be asked of it, as
they are about what it doesn't have. The reason is in the row, and in the log of the test.
`, rows, tests, theirs.all, theirs.all-theirs.differ-theirs.none, theirs.differ, theirs.none)
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		out = fmt.Appendf(out, "\n## %s\n\n%s", name, rooms[name])
	}
	return out
}

// rowNames are the texts that rows of tables begin with, as such or as their name, and the
// names of subtests. A row is a literal of a struct without its type, in a list or a map.
func rowNames(body ast.Node) (names []string) {
	add := func(e ast.Expr) {
		if field, is := e.(*ast.KeyValueExpr); is {
			if key, is := field.Key.(*ast.Ident); is && key.Name == "name" {
				e = field.Value
			}
		}
		if l, is := e.(*ast.BasicLit); is && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && text != "" && len(text) <= 100 && utf8.ValidString(text) {
				names = append(names, strings.NewReplacer("\n", " ", "`", "'", "<", "&lt;").Replace(text))
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				switch e := e.(type) {
				case *ast.CompositeLit:
					if e.Type == nil && len(e.Elts) > 1 {
						add(e.Elts[0])
					}
				case *ast.KeyValueExpr:
					if _, of := n.Type.(*ast.MapType); of {
						add(e.Key)
					}
				}
			}
		case *ast.CallExpr:
			if s, is := n.Fun.(*ast.SelectorExpr); is && s.Sel.Name == "Run" && len(n.Args) == 2 {
				add(n.Args[0])
			}
		}
		return true
	})
	return names
}
