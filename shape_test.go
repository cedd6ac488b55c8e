package webmcphub_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// The limits of all code that isn't a test's. What is over one of them holds more
// than one idea: it is taken apart, and its parts get names.
var limits = map[string]int{
	"files of package": 25,
	"lines of package": 3000,
	"lines of file":    400,
	"lines of func":    60,
	"fields of struct": 15, // embedded ones too; those of a sub-struct are its own
}

// stillOver is what is over a limit today, and by how much. It only shrinks: an
// entry goes with what it names, and none is added or raised. What moves to another
// package takes its entry along.
var stillOver = map[string]int{}

// TestShape holds the code to the limits.
func TestShape(t *testing.T) {
	over := overLimits(sources(t))
	for _, what := range slices.Sorted(maps.Keys(over)) {
		if n := over[what]; n > stillOver[what] {
			t.Errorf("%s: %d, and %d is the limit: take it apart", what, n, max(limitOf(what), stillOver[what]))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(stillOver)) {
		if over[what] == 0 {
			t.Errorf("%s is within its limit, or gone: take its line out of stillOver", what)
		}
	}
}

// overLimits counts, and returns what is over its limit. Packages and files are
// called by their path, structs and functions by their package's name and their own.
func overLimits(fset *token.FileSet, all []source) map[string]int {
	counts := map[string]int{}
	for _, s := range all {
		if s.test {
			continue
		}
		lines := fset.File(s.file.Pos()).LineCount()
		counts["files of package "+s.dir]++
		counts["lines of package "+s.dir] += lines
		counts["lines of file "+s.path] = lines
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				what := "lines of func " + path.Base(s.dir) + "." + methodName(n)
				counts[what] = max(counts[what], fset.Position(n.End()).Line-fset.Position(n.Pos()).Line+1)
			case *ast.TypeSpec:
				if st, ok := n.Type.(*ast.StructType); ok {
					what := "fields of struct " + path.Base(s.dir) + "." + n.Name.Name
					counts[what] = max(counts[what], st.Fields.NumFields())
				}
			}
			return true
		})
	}
	maps.DeleteFunc(counts, func(what string, n int) bool { return n <= limitOf(what) })
	return counts
}

// methodName is a function's name, with its receiver's type if it has one.
func methodName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	on := f.Recv.List[0].Type
	if star, ok := on.(*ast.StarExpr); ok {
		on = star.X
	}
	if generic, ok := on.(*ast.IndexExpr); ok {
		on = generic.X
	}
	if id, ok := on.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

func limitOf(what string) int {
	var unit, of, kind string
	_, _ = fmt.Sscan(what, &unit, &of, &kind)
	return limits[unit+" "+of+" "+kind]
}

// TestShapeCatches makes sure that the counting finds what is over.
func TestShapeCatches(t *testing.T) {
	fields := "type big struct {\n\tone, two int\n" + strings.Repeat("\t_ int\n", 13) + "\tsync.Mutex\n}\n"
	body := "func (b *big) long() {\n" + strings.Repeat("\tprintln()\n", 59) + "}\n"
	fset := token.NewFileSet()
	parse := func(path, text string) source {
		file, err := parser.ParseFile(fset, path, "package p\n\nimport \"sync\"\n\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		return source{path: path, dir: "a/p", file: file}
	}
	all := []source{parse("a/p/long.go", fields+body+strings.Repeat("\n", 400))}
	for i := range 25 {
		all = append(all, parse(fmt.Sprintf("a/p/x%d.go", i), strings.Repeat("\n", 110)))
	}
	got := overLimits(fset, all)
	want := map[string]int{"files of package a/p": 26, "lines of package a/p": got["lines of package a/p"], "lines of file a/p/long.go": got["lines of file a/p/long.go"],
		"lines of func p.big.long": 61, "fields of struct p.big": 16}
	if !maps.Equal(got, want) || got["lines of package a/p"] < 3001 || got["lines of file a/p/long.go"] < 401 {
		t.Errorf("got %v, want %v", got, want)
	}
}
