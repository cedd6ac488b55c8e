package release

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// built returns the release that "make releasetest" has built, and its packages for this platform. Tests of installing are
// skipped without.
func built(t *testing.T) (r release, host program) {
	t.Helper()
	dist := os.Getenv("WEBMCP_RELEASE_DIST")
	if dist == "" {
		t.Skip("this needs a built release: run make releasetest")
	}
	r, err := releaseOf("..", dist, theNames(t))
	if err != nil {
		t.Fatal(err)
	}
	return r, program{goos: runtime.GOOS, goarch: runtime.GOARCH}
}

// A way is one way of installing the hub into a folder that was empty.
type way struct {
	name     string
	download string // the path of the file that users download; its size is in the table
	// install installs into dir and returns the command that a client is given.
	install func(t *testing.T, r release, dir string) []string
}

func (r release) ways(t *testing.T, host program) []way {
	archive := filepath.Join(r.dist, fmt.Sprintf("webmcp-hub_%s_%s_%s", r.version, host.goos, host.goarch))
	npm := filepath.Join(r.dist, tarballName(r.platformPackage(host), r.version))
	dir, n := renamedCopy(t, "owner=somebody") // go install takes no module without a host in its path
	proxies, module := goProxies(t, dir, n, r.version)
	goInstallHub := func(t *testing.T, r release, _ string) []string {
		t.Helper()
		return []string{goInstall(t, n, "cmd/webmcp-hub", "v"+r.version, proxies)}
	}
	return []way{
		{"npx", npm, installNothing},
		{"npm install --global", npm, installNPM},
		{"deb", archive + ".deb", installDeb},
		{"archive", archive + ".tar.gz", installArchive},
		{"mcpb", archive + ".mcpb", installBundle},
		{"go install", module, goInstallHub},
	}
}

// TestInstall: from nothing to a page's tool in each way of installing. It prints a table.
func TestInstall(t *testing.T) {
	r, host := built(t)
	shop := httptest.NewServer(http.FileServer(http.Dir("../cmd/webmcp-hub/commands")))
	defer shop.Close()
	mcpbTool(t)
	t.Setenv("npm_config_registry", r.serveNPM(t))
	var table bytes.Buffer
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "way\tdownload\tinstalled\tinitialized\tfirst tool call\ttotal")
	for _, w := range r.ways(t, host) {
		t.Run(w.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			info, err := os.Stat(w.download)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			command := w.install(t, r, home)
			installed := time.Now()
			command = append(command, "--headless", "--isolated", "--no-share")
			initialized := firstCall(t, r.version, command, shop.URL+"/shop.html")
			done := time.Now()
			fmt.Fprintf(columns, "%s\t%.1f MiB\t%.1f s\t%.1f s\t%.1f s\t%.1f s\n", w.name, float64(info.Size())/(1<<20),
				installed.Sub(start).Seconds(), initialized.Sub(installed).Seconds(), done.Sub(initialized).Seconds(),
				done.Sub(start).Seconds())
		})
	}
	columns.Flush()
	t.Logf("from nothing to the first call of a page's tool:\n%s", table.String())
}

// firstCall starts the command as a client does, opens the shop and calls its search. initialized is when the hub had
// answered initialize.
func firstCall(t *testing.T, version string, command []string, shop string) (initialized time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	hub, err := client.NewStdioMCPClient(command[0], os.Environ(), command[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "releasetest", Version: "1"}
	answer, err := hub.Initialize(ctx, hello)
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	initialized = time.Now()
	if answer.ServerInfo.Version != version {
		t.Errorf("serverInfo has version %s, want %s", answer.ServerInfo.Version, version)
	}
	call := func(tool string, arguments map[string]any) string {
		t.Helper()
		var request mcp.CallToolRequest
		request.Params.Name, request.Params.Arguments = tool, arguments
		result, err := hub.CallTool(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(result.Content)
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError {
			t.Fatalf("%s: %s", tool, content)
		}
		return string(content)
	}
	call("open_tab", map[string]any{"url": shop})
	var name string
	for looks := time.NewTicker(20 * time.Millisecond); name == "" && ctx.Err() == nil; <-looks.C { // the page is loading
		found := call("find_webmcp_tools", map[string]any{"query": "find products by name"})
		for _, word := range strings.FieldsFunc(found, func(r rune) bool { return strings.ContainsRune("\"\\`{}[]:, ()\n", r) }) {
			if strings.HasSuffix(word, "_search") {
				name = word
			}
		}
	}
	if name == "" {
		t.Fatal("the shop's search isn't found")
	}
	answered := call("call_webmcp_tool", map[string]any{"name": name, "arguments": map[string]any{"query": "ol"}})
	t.Logf("%s answered %s", name, answered)
	return initialized
}

// output runs a command to its end.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// installNothing: npx installs at the first start.
func installNothing(t *testing.T, r release, _ string) []string {
	t.Helper()
	return []string{"npx", "-y", r.NPM}
}

func installNPM(t *testing.T, r release, dir string) []string {
	t.Helper()
	output(t, dir, "npm", "install", "--global", "--prefix", dir, "--no-audit", "--no-fund", r.NPM)
	return []string{filepath.Join(dir, "bin", "webmcp-hub")}
}

// installDeb installs into a root of its own, which dpkg enters only to run scripts: there are none.
func installDeb(t *testing.T, r release, dir string) []string {
	t.Helper()
	deb := filepath.Join(r.dist, fmt.Sprintf("webmcp-hub_%s_%s_%s.deb", r.version, runtime.GOOS, runtime.GOARCH))
	root := filepath.Join(dir, "root")
	for _, folder := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) {
		t.Helper()
		output(t, dir, "dpkg", append([]string{"--root=" + root, "--log=/dev/null", "--force-not-root", "--force-depends",
			"--force-architecture"}, args...)...)
	}
	dpkg("--install", deb)
	hub := filepath.Join(root, "usr/bin/webmcp-hub")
	t.Cleanup(func() {
		dpkg("--remove", "webmcp-hub")
		if _, err := os.Stat(hub); err == nil {
			t.Errorf("%s is still there after the removal", hub)
		}
	})
	return []string{hub}
}

func installArchive(t *testing.T, r release, dir string) []string {
	t.Helper()
	output(t, dir, "tar", "-xzf", filepath.Join(r.dist, fmt.Sprintf("webmcp-hub_%s_%s_%s.tar.gz", r.version, runtime.GOOS,
		runtime.GOARCH)), "webmcp-hub")
	return []string{filepath.Join(dir, "webmcp-hub")}
}

// installBundle unpacks the bundle with the published tool, which checks its manifest, and asks the library that Claude
// Desktop uses for the command.
func installBundle(t *testing.T, r release, dir string) []string {
	t.Helper()
	bundle := filepath.Join(r.dist, fmt.Sprintf("webmcp-hub_%s_%s_%s.mcpb", r.version, runtime.GOOS, runtime.GOARCH))
	unpacked := filepath.Join(dir, "unpacked")
	tool := mcpbTool(t)
	output(t, dir, "node", filepath.Join(tool, "dist/cli/cli.js"), "unpack", bundle, unpacked)
	output(t, dir, "node", filepath.Join(tool, "dist/cli/cli.js"), "validate", filepath.Join(unpacked, "manifest.json"))
	script := fmt.Sprintf(`import { getMcpConfigForManifest } from %q; import { readFileSync } from "node:fs";
		console.log(JSON.stringify(await getMcpConfigForManifest({ extensionPath: %q, systemDirs: {}, pathSeparator: "/",
			manifest: JSON.parse(readFileSync(%q)), userConfig: {} })))`,
		filepath.Join(tool, "dist/shared/config.js"), unpacked, filepath.Join(unpacked, "manifest.json"))
	var config struct {
		Command string
		Args    []string
	}
	if err := json.Unmarshal([]byte(output(t, dir, "node", "--input-type=module", "--eval", script)), &config); err != nil {
		t.Fatal(err)
	}
	return append([]string{config.Command}, config.Args...)
}

// mcpbTool installs the published tool for bundles, once. It comes from npm's own registry.
func mcpbTool(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../bin/mcpb-tool")
	if err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(dir, "node_modules/@anthropic-ai/mcpb")
	if _, err := os.Stat(tool); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		output(t, dir, "npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "@anthropic-ai/mcpb@2.1.2")
	}
	return tool
}

// serveNPM serves the release's npm packages as a registry does, and returns its address.
func (r release) serveNPM(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dist, "npm", "*.tgz"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, path := range files {
		content := contentOf(t, path)
		pkg := object(t, untar(t, path)["package/package.json"])
		sum := sha512.Sum512(content)
		tarball := "/tarballs/" + filepath.Base(path)
		pkg["dist"] = map[string]string{
			"tarball": server.URL + tarball, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
		name, version := pkg["name"].(string), pkg["version"].(string)
		mux.HandleFunc("GET "+tarball, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: pkg},
			})
		})
	}
	return server.URL
}

// TestVersionOfPrograms: both programs say the release's version.
func TestVersionOfPrograms(t *testing.T) {
	r, _ := built(t)
	for _, name := range []string{"webmcp-hub", "webmcp-hub-cluster"} {
		dir := t.TempDir()
		output(t, dir, "tar", "-xzf", filepath.Join(r.dist, fmt.Sprintf("%s_%s_%s_%s.tar.gz", name, r.version, runtime.GOOS,
			runtime.GOARCH)), name)
		if said := output(t, dir, filepath.Join(dir, name), "--version"); strings.TrimSpace(said) != name+" "+r.version {
			t.Errorf("%s --version says %q, want %s", name, said, r.version)
		}
	}
}

// TestFieldsOfPackages: debs and rpms have the values that the configuration names, whichever of them are templates.
func TestFieldsOfPackages(t *testing.T) {
	r, _ := built(t)
	files, err := filepath.Glob(filepath.Join(r.dist, "*.[dr][ep][bm]"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		content := contentOf(t, path)
		if at := bytes.Index(content, []byte("{{ .Env")); at >= 0 {
			t.Errorf("%s has %q", filepath.Base(path), content[at:at+30])
		}
	}
}

// TestLauncherCost measures what the launcher adds to the start of the hub.
func TestLauncherCost(t *testing.T) {
	r, _ := built(t)
	dir := t.TempDir()
	t.Setenv("npm_config_registry", r.serveNPM(t))
	launcher, err := filepath.EvalSymlinks(installNPM(t, r, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join(dir, "lib/node_modules/*/node_modules/*/bin/webmcp-hub"))
	if err != nil || len(programs) != 1 {
		t.Fatal(programs, err)
	}
	nodes, _ := filepath.Glob("../e2e/node_modules/node-*/bin/node")
	direct, least := []time.Duration{}, map[string][]time.Duration{}
	for range 15 {
		direct = append(direct, took(t, programs[0]))
		for _, node := range append(nodes, "node") {
			least[node] = append(least[node], took(t, node, launcher))
		}
	}
	for node, times := range least {
		version := strings.TrimSpace(output(t, dir, absolute(t, node), "--version"))
		t.Logf("the launcher on Node %s: %d ms more at the fastest start, %d ms at the median one; the hub alone %d and %d ms", version,
			(slices.Min(times) - slices.Min(direct)).Milliseconds(), (median(times) - median(direct)).Milliseconds(),
			slices.Min(direct).Milliseconds(), median(direct).Milliseconds())
	}
}

func absolute(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	if path, err = filepath.Abs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func took(t *testing.T, name string, args ...string) time.Duration {
	t.Helper()
	start := time.Now()
	output(t, "", name, append(args, "--version")...)
	return time.Since(start)
}

func median(times []time.Duration) time.Duration {
	times = slices.Clone(times)
	slices.Sort(times)
	return times[len(times)/2]
}

// TestBuildsAreReproducible: the same commit, checked out into another folder and built there, makes the same files.
func TestBuildsAreReproducible(t *testing.T) {
	r, _ := built(t)
	if strings.HasSuffix(r.version, ".dirty") {
		t.Skip("what isn't committed can't be built again")
	}
	other := filepath.Join(t.TempDir(), "elsewhere")
	output(t, "..", "git", "worktree", "add", "--quiet", "--detach", other)
	t.Cleanup(func() { output(t, "..", "git", "worktree", "remove", "--force", other) })
	output(t, other, "make", "hostrelease")
	compared := 0
	for _, pattern := range []string{"*.gz", "*.deb", "*.rpm", "*.mcpb", "*.zip", "*.cdx.json", "server.json", "checksums.txt", "npm/*.tgz"} {
		files, err := filepath.Glob(filepath.Join(r.dist, pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, path := range files {
			again, err := filepath.Rel(r.dist, path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(contentOf(t, path), contentOf(t, filepath.Join(other, "bin/dist", again))) {
				t.Errorf("%s differs in a second build of the same commit", again)
			}
			compared++
		}
	}
	t.Logf("%d files are equal in two builds, but for those named above", compared)
}

// TestNpxEnds: Ctrl-C, which a terminal sends to all its processes, ends the hub that npx started. So does a client that ends
// npx by SIGTERM and closes stdin; npx itself passes no signal on to the hub. Nothing is left in both cases.
func TestNpxEnds(t *testing.T) {
	r, _ := built(t)
	t.Setenv("npm_config_registry", r.serveNPM(t))
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			npx := exec.Command("npx", "-y", r.NPM, "--no-share", "--no-launch")
			npx.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			stdin, err := npx.StdinPipe() // which stays open at Ctrl-C: only the signal ends the hub
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			stdout, err := npx.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := npx.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
				`"capabilities":{},"clientInfo":{"name":"releasetest","version":"1"}}}`)
			out := bufio.NewReader(stdout)
			if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, r.version) {
				t.Fatalf("%q (%v)", line, err)
			}
			to := npx.Process.Pid
			if s == syscall.SIGINT {
				to = -to // the group
			}
			if err := syscall.Kill(to, s); err != nil {
				t.Fatal(err)
			}
			if s == syscall.SIGTERM {
				stdin.Close()
			}
			if _, err := io.Copy(io.Discard, out); err != nil { // until neither npx nor the hub has stdout open
				t.Error(err)
			}
			_ = npx.Wait()
		})
	}
}

// TestPublish: npm would publish the packages, and corrects nothing in them.
func TestPublish(t *testing.T) {
	r, _ := built(t)
	t.Setenv("npm_config_registry", r.serveNPM(t)) // which is asked for nothing
	files, err := filepath.Glob(filepath.Join(r.dist, "npm", "*.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		said := output(t, "", "npm", "publish", "--dry-run", "--tag=next", "--ignore-scripts", file)
		if strings.Contains(said, "corrected") || !strings.Contains(said, r.version) {
			t.Errorf("%s: npm says\n%s", filepath.Base(file), said)
		}
	}
}

// TestConnections: the hub opens no connection but the one to the browser that it was told of, from its start to its
// end, with a call of a page's tool between. It asks for no names, either.
func TestConnections(t *testing.T) {
	r, _ := built(t)
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	shop := httptest.NewServer(http.FileServer(http.Dir("../cmd/webmcp-hub/commands")))
	defer shop.Close()
	chrome, calls := startChrome(t), filepath.Join(dir, "calls")
	firstCall(t, r.version, append([]string{"strace", "--follow-forks", "--trace=connect,sendto,sendmsg,sendmmsg",
		"--output=" + calls}, installArchive(t, r, dir)[0], "--browser-url=http://"+chrome, "--no-share"), shop.URL+"/shop.html")
	_, port, _ := strings.Cut(chrome, ":")
	allowed := fmt.Sprintf(`sa_family=AF_INET, sin_port=htons(%s), sin_addr=inet_addr("127.0.0.1")`, port)
	connected := 0
	for line := range strings.Lines(string(contentOf(t, calls))) {
		switch {
		case !strings.Contains(line, "sa_family="):
		case strings.Contains(line, allowed):
			connected++
		default:
			t.Errorf("the hub does what it wasn't told to: %s", line)
		}
	}
	if connected == 0 {
		t.Error("no connection was seen at all, not even Chrome's")
	}
}
