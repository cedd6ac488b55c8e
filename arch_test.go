// Package webmcphub_test keeps the house in order: who may import whom, and that
// every room says what it is. The rules are those of the design; each has its reason.
package webmcphub_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "webmcphub"

// A source is one Go file of this module.
type source struct {
	path string // with slashes, from the module's root
	dir  string
	test bool
	file *ast.File
}

// sources are all Go files with their comments, parsed once for all tests: none may change them.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return files, all
}

var (
	files  = token.NewFileSet()
	parsed = sync.OnceValues(func() (all []source, err error) {
		err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go":
				return nil
			}
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			path = filepath.ToSlash(path)
			all = append(all, source{path, filepath.ToSlash(filepath.Dir(path)), strings.HasSuffix(path, "_test.go"), file})
			return nil
		})
		return all, err
	})
)

func TestImports(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		for _, spec := range s.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, r := range rules {
				if r.broken(s, path) {
					t.Errorf("%s must not import %s: %s", s.path, path, r.why)
				}
			}
		}
	}
}

func (r rule) broken(s source, path string) bool {
	if s.test && (!r.tests || slices.Contains(anyTest, path)) || !under(s.dir, r.in) {
		return false
	}
	if slices.ContainsFunc(r.except, func(dir string) bool { return under(s.dir, dir) }) {
		return false
	}
	if slices.ContainsFunc(r.allow, func(p string) bool { return matches(path, p) }) {
		return false
	}
	if r.forbid == "third-party" {
		first, _, _ := strings.Cut(path, "/")
		return strings.Contains(first, ".")
	}
	return matches(path, r.forbid)
}

func under(dir, folder string) bool {
	return folder == "" || dir == folder || strings.HasPrefix(dir, folder+"/")
}

// matches compares an import path with a pattern; "a..." is a and all below it.
func matches(path, pattern string) bool {
	prefix, below := strings.CutSuffix(pattern, "...")
	prefix = strings.TrimSuffix(prefix, "/")
	return path == prefix || below && strings.HasPrefix(path, prefix+"/")
}

// TestRulesCatch makes sure that the rules would catch what they are for.
func TestRulesCatch(t *testing.T) {
	for _, bad := range []struct{ dir, path string }{
		{"actors", "github.com/mafredri/cdp/rpcc"},
		{"registry/mcpserver", "github.com/asynkron/protoactor-go/actor"},
		{"cmd/webmcp-hub", "github.com/mark3labs/mcp-go/server"},
		{"registry", "golang.org/x/time/rate"},
		{"registry", "webmcphub/cdpclient"},
		{"registry", "webmcphub/registry/mcpserver"},
		{"registry", "webmcphub/registry/focus"},
		{"registry", "webmcphub/registry/find"},
		{"registry/find", "webmcphub/registry/mcpserver/lens"},
		{"actors", "webmcphub/automation/page"},
		{"registry/mcpserver", "webmcphub/automation"},
		{"automation/page", "webmcphub/automation/snapshot"},
		{"registry/mcpserver/calls", "webmcphub/trust"},
		{"trust/rules", "webmcphub/registry/mcpserver/calls"},
		{"automation/snapshot", "webmcphub/actors"},
		{"automation/scripts", "webmcphub/automation/page"},
		{"registry/focus", "webmcphub/registry/mcpserver/lens"},
		{"registry/sanitize", "webmcphub/registry"},
		{"registry/sanitize", "webmcphub/registry/names"},
		{"registry/names", "webmcphub/registry"},
		{"registry/endings", "webmcphub/registry"},
		{"registry/offer", "webmcphub/registry"},
		{"registry/offer", "webmcphub/registry/sites"},
		{"registry/sites", "webmcphub/registry"},
		{"registry/sanitize", "github.com/santhosh-tekuri/jsonschema/v6"},
		{"registry", "log/slog"},
		{"registry/mcpserver", "webmcphub/actors"},
		{"registry/mcpserver", "webmcphub/cdpclient"},
		{"registry/mcpserver/calls", "webmcphub/registry/mcpserver"},
		{"registry/mcpserver/calls", "net/http"},
		{"registry/mcpserver/mcphttp", "webmcphub/registry"},
		{"registry/mcpserver/mcphttp", "webmcphub/registry/mcpserver/lens"},
		{"registry/mcpserver/wire", "webmcphub/registry/mcpserver/lens"},
		{"registry/mcpserver/lens", "webmcphub/registry/mcpserver/wire"},
		{"registry/mcpserver/client", "webmcphub/registry/mcpserver"},
		{"cdpclient", "webmcphub/registry"},
		{"cdpclient/bridge", "webmcphub/cdpclient/launch"},
		{"cdpclient/launch", "webmcphub/cdpclient/bridge"},
		{"cdpclient/mcpb", "webmcphub/cdpclient"},
		{"extlink", "webmcphub/registry"},
		{"extlink", "webmcphub/cdpclient"},
		{"actors", "github.com/gorilla/websocket"},
		{"actors", "webmcphub/registry/mcpserver"},
		{"actors/tab", "webmcphub/cdpclient"},
		{"actors/tab", "webmcphub/actors"},
		{"actors/tab", "webmcphub/actors/tab/ext"},
		{"actors/tab/cdp", "webmcphub/actors"},
		{"actors/tab/cdp", "webmcphub/actors/tab/ext"},
		{"actors/tab/cdp/pageserver", "webmcphub/cdpclient"},
		{"actors/tab/cdp/pageserver", "webmcphub/actors/tab/cdp"},
		{"actors", "webmcphub/actors/hubtest"},
		{"actors", "webmcphub/actors/tab/ext"},
		{"actors/browser", "webmcphub/actors"},
		{"actors/browser", "webmcphub/extlink"},
		{"actors/extbrowser", "webmcphub/cdpclient"},
		{"actors/extbrowser", "webmcphub/actors/browser"},
		{"actors/keeper", "webmcphub/actors/tab/cdp"},
		{"actors/tab/ext", "webmcphub/cdpclient"},
		{"actors/tab/ext", "webmcphub/actors"},
		{"actors", "webmcphub/cdpclient/cdptest"},
		{"e2e", "webmcphub/registry"},
		{"bench/plainhub", "github.com/mark3labs/mcp-go/server"},
		{"cmd/webmcp-hub", "gonum.org/v1/plot"},
		{"bench/storm", "gonum.org/v1/plot"},
		{"cmd/webmcp-hub/demo", "webmcphub/actors"},
		{"cmd/webmcp-hub/doctor", "webmcphub/registry/mcpserver"},
		{"cmd/webmcp-hub/process", "webmcphub/actors"},
		{"bench/storm", "webmcphub/cmd/webmcp-hub"},
		{"internal/jsonrpc", "webmcphub/registry"},
		{"internal/jsonrpc", "github.com/mark3labs/mcp-go/mcp"},
		{"internal/audit", "webmcphub/actors"},
		{"internal/toolstore", "webmcphub/registry/mcpserver"},
		{"internal/agent", "webmcphub/registry/mcpserver"},
		{"internal/settings", "webmcphub/internal/private"},
		{"internal/private", "webmcphub/registry"},
		{"internal/portholder", "webmcphub/extlink"},
		{"internal/audit", "go.etcd.io/bbolt"},
		{"registry/mcpserver", "github.com/prometheus/client_golang/prometheus"},
		{"internal/metrics", "webmcphub/actors"},
		{"cmd/webmcp-hub/web", "webmcphub/actors"},
		{"internal/private", "github.com/gofrs/flock"},
		{"actors", "webmcphub/internal/fakeclock"},
		{"registry", "webmcphub/internal/scripttest"},
		{"cluster/node", "webmcphub/registry/mcpserver"},
		{"cluster/gateway", "webmcphub/actors"},
		{"cluster/mailbox", "webmcphub/cluster/wire"},
		{"internal/telling", "webmcphub/actors"},
		{"cluster/replica", "webmcphub/cluster/link"},
		{"cluster/replica", "webmcphub/actors"},
	} {
		s := source{path: bad.dir + "/x.go", dir: bad.dir}
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.broken(s, bad.path) }) {
			t.Errorf("no rule keeps %s from importing %s", bad.dir, bad.path)
		}
	}
}
