package release

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// renamedCopy copies the files that git doesn't ignore into a temporary folder, and renames them there.
func renamedCopy(t *testing.T, changes ...string) (dir string, n names) {
	t.Helper()
	dir = t.TempDir()
	listed, err := git("..", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.SplitSeq(listed, "\x00") {
		info, err := os.Lstat(filepath.Join("..", path))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		to := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, contentOf(t, filepath.Join("..", path)), info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	output(t, dir, "git", "init", "--quiet")
	output(t, dir, "git", "add", "--all")
	old := theNames(t)
	if n, err = old.renamed(changes); err != nil {
		t.Fatal(err)
	}
	if err := rename(dir, old, n); err != nil {
		t.Fatal(err)
	}
	return dir, n
}

// TestRename renames a copy of the repository: nothing in it has the old names, it still builds, and its own tests of
// names pass.
func TestRename(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the repository and builds some of it")
	}
	dir, n := renamedCopy(t, "owner=somebody", "npm=@somebody/webmcp-hub")
	want := names{Owner: "somebody", Author: n.Author, Email: n.Email, Homepage: "https://github.com/somebody/webmcp-hub",
		NPM: "@somebody/webmcp-hub", Registry: "io.github.somebody/webmcp-hub", Image: "ghcr.io/somebody/webmcp-hub",
		Module: "github.com/somebody/webmcp-hub"}
	if n != want {
		t.Errorf("the names are %+v", n)
	}
	if read, err := readNames(contentOf(t, filepath.Join(dir, "release/names.json"))); err != nil || read != want {
		t.Errorf("names.json has %+v, %v", read, err)
	}
	old := theNames(t)
	for _, left := range []string{`"` + old.Module + `/`, `^module ` + old.Module, "-y " + old.NPM, "github.com/" + old.Owner + "/"} {
		grep := exec.Command("git", "grep", "-n", "-e", left, "--", "*.go", "*.mod", "*.md", "*.yml")
		grep.Dir = dir
		if out, _ := grep.Output(); len(out) > 0 {
			t.Errorf("%s is left:\n%.2000s", left, out)
		}
	}
	if got := output(t, dir, "go", "list", "-m"); strings.TrimSpace(got) != want.Module {
		t.Errorf("the module is %s", got)
	}
	output(t, dir, "go", "build", "./internal/jsonrpc", "./registry/names")
	output(t, dir, "go", "test", "-vet=off", "-ldflags=-w", "-count=1", "-run", "^(TestFilesAreCurrent|TestLinksDecode|TestSchemas|TestVersionsAgree)$", "./release")
	if unformatted := output(t, dir, "gofmt", "-l", "registry", "release", "cmd", "mcpserver"); unformatted != "" {
		t.Errorf("not formatted:\n%s", unformatted)
	}
	goInstalls(t, dir, n)
	// Once more, by another name.
	again, err := n.renamed([]string{"module=hub.example/hub", "owner=other"})
	if err != nil {
		t.Fatal(err)
	}
	if err := rename(dir, n, again); err != nil {
		t.Fatal(err)
	}
	mod := contentOf(t, filepath.Join(dir, "bench/go.mod"))
	if !bytes.Contains(mod, []byte("module hub.example/hub/bench\n")) || bytes.Contains(mod, []byte("somebody")) {
		t.Errorf("bench/go.mod is\n%.600s", mod)
	}
}

// goInstalls has go install fetch the module in dir as version 1.2.3, and installs the smallest of the programs.
func goInstalls(t *testing.T, dir string, n names) {
	t.Helper()
	proxies, _ := goProxies(t, dir, n, "1.2.3")
	program := goInstall(t, n, "cmd/release", "latest", proxies)
	if said := output(t, dir, "go", "version", "-m", program); !strings.Contains(said, n.Module+"\tv1.2.3") {
		t.Errorf("what was installed is\n%s", said)
	}
}

// goProxies returns a GOPROXY whose first proxy is a folder that has the module in dir as one version; go checks the whole
// zip. The second is this machine's own module cache, which is laid out as a proxy is.
func goProxies(t *testing.T, dir string, n names, version string) (proxies, zip string) {
	t.Helper()
	proxy := t.TempDir()
	at := filepath.Join(proxy, filepath.FromSlash(n.Module), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	var packed []file
	for path := range strings.SplitSeq(output(t, dir, "git", "ls-files", "-z"), "\x00") {
		nested := strings.HasPrefix(path, "bench/") || strings.HasPrefix(path, "deploy/test/") // modules of their own
		if path != "" && !nested {
			packed = append(packed, file{name: n.Module + "@v" + version + "/" + path, content: contentOf(t, filepath.Join(dir, path))})
		}
	}
	content, err := release{time: time.Unix(1e9, 0)}.zipped(packed)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"v" + version + ".zip": content, "v" + version + ".mod": contentOf(t, filepath.Join(dir, "go.mod")),
		"v" + version + ".info": []byte(`{"Version":"v` + version + `","Time":"2001-09-09T01:46:40Z"}`),
		"list":                  []byte("v" + version + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache := strings.TrimSpace(output(t, "..", "go", "env", "GOMODCACHE"))
	return "file://" + proxy + ",file://" + cache + "/cache/download", filepath.Join(at, "v"+version+".zip")
}

// goInstall runs go install in an empty folder with an empty module cache, and returns the program.
func goInstall(t *testing.T, n names, program, version, proxies string) string {
	t.Helper()
	bin, modules := t.TempDir(), t.TempDir()
	install := exec.Command("go", "install", n.Module+"/"+program+"@"+version)
	install.Dir = modules
	install.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+bin, "GOMODCACHE="+modules, "GOFLAGS=-modcacherw", "GOSUMDB=off",
		"GOPROXY="+proxies)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	return filepath.Join(bin, filepath.Base(program))
}

// TestRenamed: what is no change is refused.
func TestRenamed(t *testing.T) {
	for _, change := range []string{"owner", "owner=", "colour=red"} {
		if _, err := theNames(t).renamed([]string{change}); err == nil {
			t.Errorf("%s is accepted", change)
		}
	}
}
