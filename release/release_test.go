package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func theNames(t *testing.T) names {
	t.Helper()
	n, err := readNames(namesFile)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// packed makes all packages of version 1.2.3, with the file self in place of the hub for every platform.
func packed(t *testing.T, self string) release {
	t.Helper()
	r := release{names: theNames(t), version: "1.2.3", time: time.Unix(1e9, 0).UTC(), root: "..", dist: t.TempDir()}
	built := append([]program{}, platforms...)
	for i := range built {
		built[i].path = self
	}
	if err := r.makeAll(built); err != nil {
		t.Fatal(err)
	}
	return r
}

// small is a file that stands for the hub where nothing starts it.
func small(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hub")
	if err := os.WriteFile(file, []byte("the hub"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// untar returns the files of a .tar.gz by their names.
func untar(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// unzip returns the files of a zip archive by their names.
func unzip(t *testing.T, path string) map[string][]byte {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return files
}

func object(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(content, &v); err != nil {
		t.Fatalf("%v in %q", err, content)
	}
	return v
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestVersionOf(t *testing.T) {
	for _, c := range []struct{ describe, want string }{
		{"v1.2.3-0-gabcdef01", "1.2.3"},
		{"v1.2.3-0-gabcdef01-dirty", "1.2.4-dev.0.gabcdef01.dirty"},
		{"v1.2.3-14-gabcdef01", "1.2.4-dev.14.gabcdef01"},
		{"abcdef01", "0.0.1-dev.99.gabcdef01"},
		{"abcdef01-dirty", "0.0.1-dev.99.gabcdef01.dirty"},
	} {
		if got, err := versionOf(c.describe, "99"); err != nil || got != c.want {
			t.Errorf("%s is version %q (%v), want %q", c.describe, got, err, c.want)
		}
	}
	if got, err := versionOf("v1-0-gabcdef01", "99"); err == nil {
		t.Errorf("the tag v1 is version %q", got)
	}
}

// TestReleaseOf: packages have the version and the time of what was built, also if something was committed meanwhile.
func TestReleaseOf(t *testing.T) {
	root, dist := t.TempDir(), t.TempDir()
	output(t, root, "git", "init", "--quiet")
	for _, when := range []string{"2001-09-09T01:46:40Z", "2002-09-09T01:46:40Z"} {
		output(t, root, "env", "GIT_COMMITTER_DATE="+when, "git", "-c", "user.name=n", "-c", "user.email=e@x.example", "commit",
			"--quiet", "--allow-empty", "--message=x")
		if commit, err := git(root, "rev-parse", "HEAD"); err != nil {
			t.Fatal(err)
		} else if strings.HasPrefix(when, "2001") {
			built := encode(map[string]string{"version": "1.2.3", "commit": commit})
			if err := os.WriteFile(filepath.Join(dist, "metadata.json"), built, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := releaseOf(root, dist, theNames(t))
	if err != nil || r.version != "1.2.3" || r.time.Unix() != 1e9 {
		t.Errorf("version %s of %v, %v", r.version, r.time, err)
	}
}

// TestVersionsAgree: every package of a release says the same version, also of the packages that it names.
func TestVersionsAgree(t *testing.T) {
	r := packed(t, small(t))
	said := map[string]any{}
	pkg := object(t, untar(t, filepath.Join(r.dist, tarballName(r.NPM, "1.2.3")))["package/package.json"])
	said["npm"] = pkg["version"]
	optional := pkg["optionalDependencies"].(map[string]any)
	if len(optional) != len(platforms) {
		t.Errorf("%d optional dependencies, want %d", len(optional), len(platforms))
	}
	for name, version := range optional {
		said["dependency "+name] = version
		said[name] = object(t, untar(t, filepath.Join(r.dist, tarballName(name, "1.2.3")))["package/package.json"])["version"]
	}
	server := object(t, contentOf(t, filepath.Join(r.dist, "server.json")))
	said["server.json"] = server["version"]
	for _, p := range server["packages"].([]any) {
		p := p.(map[string]any)
		said["server.json "+p["identifier"].(string)] = p["version"]
	}
	for _, p := range platforms {
		name := "webmcp-hub_1.2.3_" + p.goos + "_" + p.goarch + ".mcpb"
		said[name] = object(t, unzip(t, filepath.Join(r.dist, name))["manifest.json"])["version"]
	}
	for _, platform := range []string{"linux", "darwin", "win32"} {
		extension := object(t, untar(t, filepath.Join(r.dist, platform+".webmcp-hub-gemini.tar.gz"))["gemini-extension.json"])
		said["gemini "+platform] = extension["version"]
		args := extension["mcpServers"].(map[string]any)["webmcp"].(map[string]any)["args"].([]any)
		said["gemini starts"] = strings.TrimPrefix(args[1].(string), r.NPM+"@")
	}
	store := object(t, unzip(t, filepath.Join(r.dist, "webmcp-hub_1.2.3-chrome-extension.zip"))["manifest.json"])
	said["Chrome extension"] = store["version_name"]
	if store["version"] != "1.2.3" || store["key"] != nil {
		t.Errorf("the store gets version %v with the key %v", store["version"], store["key"])
	}
	for what, version := range said {
		if version != "1.2.3" {
			t.Errorf("%s says version %v", what, version)
		}
	}
	if len(said) < 1+2*6+1+7+6+4+1 {
		t.Errorf("only %d versions were found", len(said))
	}
}

// TestNPMPackages: npm installs exactly the package for its platform, runs nothing at installation, and the program can be
// executed.
func TestNPMPackages(t *testing.T) {
	r := packed(t, small(t))
	for _, name := range append([]string{r.NPM}, platformNames(r)...) {
		pkg := object(t, untar(t, filepath.Join(r.dist, tarballName(name, "1.2.3")))["package/package.json"])
		if pkg["scripts"] != nil {
			t.Errorf("%s has scripts", name)
		}
		if name == r.NPM {
			if pkg["mcpName"] != r.Registry {
				t.Errorf("mcpName is %v; the MCP Registry wants %s", pkg["mcpName"], r.Registry)
			}
			continue
		}
		system, cpu := pkg["os"].([]any)[0].(string), pkg["cpu"].([]any)[0].(string)
		if name != r.NPM+"-"+system+"-"+cpu {
			t.Errorf("%s is for %s on %s", name, system, cpu)
		}
	}
	f, err := os.Open(filepath.Join(r.dist, tarballName(r.NPM+"-linux-x64", "1.2.3")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if err != nil {
			t.Fatalf("no program: %v", err)
		}
		if header.Name == "package/bin/webmcp-hub" {
			if header.Mode != 0o755 {
				t.Errorf("the program's mode is %o", header.Mode)
			}
			return
		}
	}
}

func platformNames(r release) (all []string) {
	for _, p := range platforms {
		all = append(all, r.platformPackage(p))
	}
	return all
}

// TestSchemas: server.json and the manifests of the bundles are as the published schemas want them.
func TestSchemas(t *testing.T) {
	r := packed(t, small(t))
	server := contentOf(t, filepath.Join(r.dist, "server.json"))
	for _, err := range []error{invalid(t, "server.schema.json", server)} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, p := range platforms {
		manifest := unzip(t, filepath.Join(r.dist, "webmcp-hub_1.2.3_"+p.goos+"_"+p.goarch+".mcpb"))["manifest.json"]
		if err := invalid(t, "mcpb-manifest.schema.json", manifest); err != nil {
			t.Error(err)
		}
	}
	// The checks can fail.
	if invalid(t, "server.schema.json", bytes.Replace(server, []byte(description), []byte(strings.Repeat("x", 101)), 1)) == nil {
		t.Error("a description of 101 characters is valid")
	}
	if invalid(t, "mcpb-manifest.schema.json", []byte(`{"manifest_version":"0.3"}`)) == nil {
		t.Error("a manifest without a name is valid")
	}
}

func invalid(t *testing.T, schema string, content []byte) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("schemas/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// TestFilesAreCurrent: the repository's files that follow from names.json are as it says.
func TestFilesAreCurrent(t *testing.T) {
	n := theNames(t)
	for name, want := range n.files() {
		if got := contentOf(t, filepath.Join("..", name)); !bytes.Equal(got, want) {
			t.Errorf("%s is out of date; run: go run ./cmd/release files", name)
		}
	}
	if readme := contentOf(t, "../README.md"); !bytes.Equal(readme, n.withLinks(readme)) {
		t.Error("the links in README.md are out of date; run: go run ./cmd/release files")
	}
}

// TestLinksDecode: what README's install links carry is what the documentation tells users of these editors to configure.
func TestLinksDecode(t *testing.T) {
	readme := contentOf(t, "../README.md")
	for _, link := range []struct {
		found  []byte
		decode func(string) ([]byte, error)
		args   []any
	}{
		{vscodeLinks.Find(readme), func(s string) ([]byte, error) { return []byte(s), nil }, []any{"-y", theNames(t).NPM}},
		{cursorLinks.Find(readme), base64.StdEncoding.DecodeString, []any{"-y", theNames(t).NPM, "--disable-webmcp-auto-register"}},
	} {
		u, err := url.Parse(string(link.found))
		if err != nil || u.Query().Get("name") != "webmcp" {
			t.Fatalf("README has the link %q (%v)", link.found, err)
		}
		config, err := link.decode(u.Query().Get("config"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := object(t, config), map[string]any{"command": "npx", "args": link.args}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s installs %v, want %v", u.Host, got, want)
		}
	}
}

// TestSkill: the skill has what Claude Code wants of one, and names tools and flags that the hub has.
func TestSkill(t *testing.T) {
	front := regexp.MustCompile(`^---\nname: webmcp-hub\ndescription: .{50,1000}\n---\n`)
	if !front.MatchString(skill) {
		t.Errorf("the skill begins with %.200q", skill)
	}
	documented := string(contentOf(t, "../docs/tool-lists.md")) + string(contentOf(t, "../docs/browsers.md")) +
		string(contentOf(t, "../docs/tools.md")) + string(contentOf(t, "../docs/flags.md"))
	spans := regexp.MustCompile("`(-*[a-z_-]+)`").FindAllStringSubmatch(skill, -1)
	for _, span := range spans {
		if name := span[1]; name != "webmcp" && name != "uid" && !strings.Contains(documented, name) {
			t.Errorf("the skill names %s, which the documentation doesn't", name)
		}
	}
	if len(spans) < 10 {
		t.Errorf("only %d names were found", len(spans))
	}
	if strings.Contains(withoutFrontMatter(skill), "description:") {
		t.Error("GEMINI.md has the skill's front matter")
	}
}

// TestUndecided: a release can be published only when its names are decided on, its commit has a tag and there is a
// licence.
func TestUndecided(t *testing.T) {
	root := t.TempDir()
	open := theNames(t)
	open.Owner, open.License = "OWNER", ""
	err := open.undecided(root, "1.2.4-dev.1.gabc")
	for _, want := range []string{`"owner"`, `"license"`, "git tag", "LICENSE"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s isn't asked for: %v", want, err)
		}
	}
	if licensed(root, false) == nil {
		t.Error("a release without a licence isn't refused")
	}
	if err := licensed(root, true); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(root, "LICENSE"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	decided := names{Owner: "a", Author: "b", Email: "c@d.example", License: "MIT", Homepage: "https://github.com/a/hub", NPM: "hub",
		Registry: "io.github.a/hub", Image: "ghcr.io/a/hub", Module: "github.com/a/hub"}
	if err := decided.undecided(root, "1.2.3"); err != nil {
		t.Errorf("with everything decided: %v", err)
	}
}

// TestPackagesAreReproducible: packages made twice of the same programs are equal.
func TestPackagesAreReproducible(t *testing.T) {
	self := small(t)
	one, two := packed(t, self), packed(t, self)
	files := 0
	err := filepath.WalkDir(one.dist, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		other := filepath.Join(two.dist, strings.TrimPrefix(path, one.dist))
		if !bytes.Equal(contentOf(t, path), contentOf(t, other)) {
			t.Errorf("%s differs", entry.Name())
		}
		return nil
	})
	if err != nil || files < 7+6+3+1+1 {
		t.Errorf("%d files, %v", files, err)
	}
}
