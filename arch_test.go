// Package webmcphub_test holds the source tree to its rules: which folder may import which, what stays pure, and that
// every package says what it is.
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

// TestArrows: a package imports its own folder and those folders that arrows names, and the program imports nothing
// that is made for tests.
func TestArrows(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		folder, _, _ := strings.Cut(s.dir, "/")
		allowed, known := arrows[folder]
		if !known && s.dir != "." {
			t.Errorf("%s is in a folder without arrows", s.path)
		}
		for _, spec := range s.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			to, ours := strings.CutPrefix(path, module+"/")
			if !ours {
				continue
			}
			forTests := slices.ContainsFunc(anyTest, func(p string) bool { return matches(path, p+"...") })
			to, _, _ = strings.Cut(to, "/")
			switch {
			case forTests && (s.test || folder == "bench" || under(module+"/"+s.dir, path) || slices.Contains(anyTest, module+"/"+s.dir)):
			case forTests:
				t.Errorf("%s imports %s, which is for tests", s.path, path)
			case to == folder || slices.Contains(allowed, to) || s.test && slices.Contains(testArrows[folder], to):
			default:
				t.Errorf("%s must not import %s: no arrow leads from %s to %s", s.path, path, folder, to)
			}
		}
	}
}

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
		return strings.Contains(first, ".") && !under(path, module)
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
		{"mcpserver", "github.com/asynkron/protoactor-go/actor"},
		{"cmd/webmcp-hub", "github.com/mark3labs/mcp-go/server"},
		{"mcpserver/calls", "net/http"},
		{"registry", "golang.org/x/time/rate"},
		{"registry", "log/slog"},
		{"registry/sanitize", "github.com/santhosh-tekuri/jsonschema/v6"},
		{"registry", "webmcphub/registry/focus"},
		{"registry", "webmcphub/registry/find"},
		{"registry/sanitize", "webmcphub/registry"},
		{"registry/names", "webmcphub/registry"},
		{"registry/offer", "webmcphub/registry"},
		{"automation/page", "webmcphub/automation/snapshot"},
		{"automation/snapshot/tree", "webmcphub/automation/page"},
		{"cdpclient/bridge", "webmcphub/cdpclient/launch"},
		{"cdpclient/launch", "webmcphub/cdpclient/bridge"},
		{"cdpclient/pagemcp", "webmcphub/cdpclient"},
		{"actors", "github.com/gorilla/websocket"},
		{"actors/tab", "webmcphub/cdpclient"},
		{"actors/tab", "webmcphub/actors"},
		{"actors/browser", "webmcphub/extlink"},
		{"actors/extbrowser", "webmcphub/cdpclient"},
		{"actors/supervisor", "webmcphub/actors/tab/cdp"},
		{"mcpserver/calls", "webmcphub/mcpserver/share"},
		{"mcpserver/wire", "webmcphub/mcpserver/view"},
		{"trust/rules", "webmcphub/mcpserver/calls"},
		{"trust/pins", "webmcphub/mcpserver/calls"},
		{"bench/storm", "github.com/mark3labs/mcp-go/server"},
		{"cmd/webmcp-hub", "webmcphub/cluster/transport"},
		{"bench/storm", "webmcphub/cmd/webmcp-hub"},
		{"internal/jsonrpc", "webmcphub/registry"},
		{"internal/audit", "go.etcd.io/bbolt"},
		{"mcpserver", "github.com/prometheus/client_golang/prometheus"},
		{"trust/approvals", "github.com/gofrs/flock"},
		{"cluster/node", "webmcphub/mcpserver"},
		{"cluster/gateway", "webmcphub/actors"},
		{"cluster/mailbox", "webmcphub/cluster/api"},
		{"cluster/pages", "webmcphub/cluster/transport"},
		{"cluster/pages", "google.golang.org/grpc"},
		{"cluster/node", "github.com/asynkron/protoactor-go/actor"},
	} {
		s := source{path: bad.dir + "/x.go", dir: bad.dir}
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.broken(s, bad.path) }) {
			t.Errorf("no rule keeps %s from importing %s", bad.dir, bad.path)
		}
	}
}
