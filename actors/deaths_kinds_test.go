package actors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"webmcphub/cdpclient"
)

// TestEveryMessageHasItsDeath reads the actors' sources for what they handle:
// each kind of message needs a row in deaths.
func TestEveryMessageHasItsDeath(t *testing.T) {
	here, events := sourcesIn(t, "."), sourcesIn(t, "../registry")
	kinds := map[string][]string{"page": append(tabMessages(t), cases(t, here, "cdpLink", "Handle")...)}
	for actor, typeName := range map[string]string{"browser": "browserActor", "registry": "registryActor"} {
		kinds[actor] = append(cases(t, here, typeName, "Receive"), "*actor.Started", "*actor.Stopping", "*actor.Stopped")
	}
	replace := func(actor, general string, by ...string) {
		i := slices.Index(kinds[actor], general)
		if i < 0 {
			t.Fatalf("the %s actor takes no %s", actor, general)
		}
		kinds[actor] = append(slices.Delete(kinds[actor], i, i+1), by...)
	}
	replies := func(typeName string) (tags []string) {
		for _, tag := range cases(t, here, typeName, "reply") {
			tags = append(tags, "reply "+tag)
		}
		return tags
	}
	var methods []string
	for method := range eventHandlers {
		if method != "Test.do" {
			methods = append(methods, method)
		}
	}
	replace("page", "cdpclient.Event", methods...)
	replace("page", "cdpclient.Reply", replies("cdpLink")...)
	replace("browser", "actors.fromBrowser", append(replies("browserActor"), "reply string", "reply *keeper.Order", "cdpclient.Closed")...)
	kinds["browser"] = append(kinds["browser"], cases(t, here, "browserActor", "event")...)
	replace("browser", "*keeper.Order", orderNames...)
	replace("registry", "registry.Event", receivers(events, "event")...)

	have := map[string]bool{}
	for _, d := range deaths() {
		message := d.message
		for _, method := range []string{cdpclient.TargetAttachedToTarget, cdpclient.TargetDetachedFromTarget, cdpclient.TargetTargetInfoChanged,
			cdpclient.TargetTargetCreated, cdpclient.TargetTargetDestroyed, cdpclient.TargetTargetCrashed} {
			if d.actor == "browser" && message == method { // the sources name them by their constants
				domain, name, _ := strings.Cut(method, ".")
				message = "cdpclient." + domain + strings.ToUpper(name[:1]) + name[1:]
			}
		}
		have[d.actor+" "+message] = true
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

// orderNames are the orders, as messageName calls them.
var orderNames = []string{"order to reach a browser", "order to open", "order to focus", "order to close", "order to connect", "order to disconnect", "order to list titles"}

// tabMessages are what every tab's actor handles, but for what its link does.
func tabMessages(t *testing.T) []string {
	all := append(cases(t, sourcesIn(t, "tab"), "Tab", "dispatch"), "*actor.Started", "*actor.Stopping", "*actor.Stopped")
	for i, name := range all {
		all[i] = strings.Replace(name, "actors.", "tab.", 1)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "tab.Question" }) // an interface, see cdpLink.Handle
}

func sourcesIn(t *testing.T, dir string) (files []*ast.File) {
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

// cases are what the first switch of a method tells apart.
func cases(t *testing.T, files []*ast.File, typeName, method string) (all []string) {
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
						all = append(all, nameOf(e))
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

// receivers are the types that have the method.
func receivers(files []*ast.File, method string) (all []string) {
	for _, f := range files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == method && fn.Recv != nil {
				all = append(all, "registry."+receiver(fn))
			}
		}
	}
	return all
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(nameOf(fn.Recv.List[0].Type), "*"), "actors.")
}

// nameOf writes a type or constant as %T would.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + nameOf(e.X)
	case *ast.SelectorExpr:
		return strings.TrimPrefix(nameOf(e.X), "actors.") + "." + e.Sel.Name
	case *ast.Ident:
		return "actors." + e.Name
	}
	return ""
}
