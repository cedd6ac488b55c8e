package automation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"path/filepath"
	"regexp"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/mcpserver/arguments"
)

// ported is one case of chrome-devtools-mcp's tests of its tools: the behaviour that the
// case holds a program to, written anew.
type ported struct {
	name string
	// page is the HTML of the tab's document, at "/" of a.test.
	page string
	// differs says why the hub does otherwise on purpose; do wants what the hub does then.
	differs string
	// none says why the case can't be asked of the hub; it has no do.
	none string
	do   func(r real)
	// tabs is do for cases of several tabs.
	tabs func(d *desk)
}

// port runs the cases side by side, each in a tab that no other case uses meanwhile.
func port(t *testing.T, cases []ported) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	portWith(t, cases, func(t *testing.T, pages automationtest.Pages) real {
		t.Parallel()
		return realIn(t, tabs.Open(t, pages))
	})
}

// portInTurn runs cases that wait for each other anyway one after another in a tab, each with a client of its own. They
// share a service, and so Chrome's trace engine, which is slow to open.
func portInTurn(t *testing.T, cases []ported) {
	all := openReal(t, automationtest.HTML(""))
	portWith(t, cases, func(t *testing.T, pages automationtest.Pages) real {
		tab, a := *all.Tab, all.another(t.Name())
		tab.T, tab.Ctx, a.t = t, automationtest.Context(t), t
		tab.Site.Set("/", pages["/"])
		tab.Goto(tab.Site.URL("a", "/"))
		t.Cleanup(func() { a.service.ClientGone(a.client.ID) })
		return real{a, &tab}
	})
}

// portWith runs the cases, those of one tab with what open returns.
func portWith(t *testing.T, cases []ported, open func(*testing.T, automationtest.Pages) real) {
	check := arguments.New(slog.New(slog.DiscardHandler))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.none != "" {
				t.Logf("not asked of the hub: %s", c.none)
				return
			}
			if c.differs != "" {
				t.Logf("differs on purpose: %s", c.differs)
			}
			pages := automationtest.HTML("<!doctype html>" + c.page)
			if c.tabs != nil {
				d := openDesk(t, pages)
				d.check = check
				c.tabs(d)
				return
			}
			r := open(t, pages)
			r.check = check
			c.do(r)
		})
	}
}

// named are the elements in arguments: <Save> is the one that a snapshot calls so.
var named = regexp.MustCompile(`<([^<>]+)>`)

// filled puts the uids of elements into arguments.
func (r real) filled(args string) string {
	r.t.Helper()
	return named.ReplaceAllStringFunc(args, func(name string) string { return r.called(name[1 : len(name)-1]) })
}

// shown is a line of a snapshot about what has a uid: that, the role, and the name.
var shown = regexp.MustCompile(`(?m)^ *([a-z]+\d+) (\S+)(?: "([^"]*)")?`)

// called is the uid of the first element with that role or name. A snapshot that isn't
// verbose gives none to what can't be acted on, and none to the options of a list.
func (r real) called(what string) string {
	r.t.Helper()
	text := ""
	for _, args := range []string{`{}`, `{"verbose":true}`} {
		text = r.call("take_snapshot", args).Text
		for _, line := range shown.FindAllStringSubmatch(text, -1) {
			if line[2] == what || line[3] == what {
				return line[1]
			}
		}
	}
	r.t.Fatalf("nothing is called %q:\n%s", what, text)
	return ""
}

// does calls a tool on elements and wants its answer to have a text.
func (r real) does(tool, args, text string) {
	r.t.Helper()
	r.says(tool, r.filled(args), text)
}

// refuses calls a tool on elements and wants an error that has a text.
func (r real) refuses(tool, args, text string) {
	r.t.Helper()
	r.fails(tool, r.filled(args), text)
}

// is wants an expression to have a value in the page, as text.
func (r real) is(expression, want string) {
	r.t.Helper()
	if got := js[string](r, "(async () => String("+expression+"))()"); got != want {
		r.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// TestPortedCounts holds the tables to the number of cases that chrome-devtools-mcp 1.11 has
// for these tools, so that none is lost.
func TestPortedCounts(t *testing.T) {
	for name, want := range map[string]int{
		"input": 35, "pages": 47, "console": 20, "emulation": 34, "performance": 15, "screenshot": 20, "script": 16, "network": 7, "snapshot": 7,
	} {
		if got := portedCases(t, name); got != want {
			t.Errorf("devtools_mcp_%s_test.go has %d cases, and they have %d", name, got, want)
		}
	}
}

// portedCases counts the rows with a name in the test files of one tool category.
func portedCases(t *testing.T, name string) (count int) {
	t.Helper()
	files, err := filepath.Glob("devtools_mcp_" + name + "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			row, is := n.(*ast.CompositeLit)
			if !is || row.Type != nil {
				return true
			}
			for _, e := range row.Elts {
				if field, is := e.(*ast.KeyValueExpr); is {
					if key, is := field.Key.(*ast.Ident); is && key.Name == "name" {
						count++
					}
				}
			}
			return true
		})
	}
	return count
}
