package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
)

// buildBefore is the commit of the build before. A release sets it to the commit of the last one.
const buildBefore = "1e54a032a54df389512bcacc32e490b09ec99afa"

// before builds the program of buildBefore, once on each machine, and returns the file.
func before(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the program of an earlier commit")
	}
	git := func(args ...string) *exec.Cmd { return exec.CommandContext(t.Context(), "git", args...) }
	root, err := git("rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is no git repository, so there is no earlier commit to build")
	}
	if git("cat-file", "-e", buildBefore+"^{commit}").Run() != nil {
		t.Fatalf("the repository lacks the commit %s, the build before: fetch the whole history (git fetch --unshallow)",
			buildBefore)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "webmcp-hub-test")
	file := filepath.Join(folder, "cluster-"+buildBefore)
	if _, err := os.Stat(file); err == nil {
		return file
	}
	source, made := t.TempDir(), filepath.Join(t.TempDir(), "made")
	archive := git("-C", strings.TrimSpace(string(root)), "archive", buildBefore)
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-C", source)
	if unpack.Stdin, err = archive.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := unpack.Start(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Run(); err != nil {
		t.Fatalf("git archive: %v", err)
	}
	if err := unpack.Wait(); err != nil {
		t.Fatalf("tar: %v", err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", made, "./cmd/webmcp-hub-cluster")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the build before can't be built: %v\n%s", err, out)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(made, file); err != nil { // the temporary folder is on another disk
		return made
	}
	return file
}

// process is one of the build before.
type process struct {
	t     *testing.T
	in    io.WriteCloser
	out   io.Reader
	lines chan string // that it logs
	over  chan struct{}
}

func run(t *testing.T, program string, args ...string) *process {
	t.Helper()
	c := exec.Command(program, args...)
	home := t.TempDir()
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	p := &process{t: t, lines: make(chan string, 1000), over: make(chan struct{})}
	var err error
	if p.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	logged, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.over)
		for s := bufio.NewScanner(logged); s.Scan(); {
			t.Log(s.Text())
			select {
			case p.lines <- s.Text():
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-p.over
		_ = c.Wait()
	})
	return p
}

// logs waits for a line, and returns its first group.
func (p *process) logs(line string) string {
	p.t.Helper()
	late := time.After(patience)
	for {
		select {
		case l := <-p.lines:
			if found := regexp.MustCompile(line).FindStringSubmatch(l); found != nil {
				return found[1]
			}
		case <-p.over:
			p.t.Fatal("the process ended")
		case <-late:
			p.t.Fatalf("it doesn't log %s", line)
		}
	}
}

// number waits for a page's tools, and returns the page's number in their names.
func (a *agent) number() string {
	a.t.Helper()
	late := time.After(patience)
	for {
		if names := a.pageTools(); len(names) > 0 {
			return regexp.MustCompile(`page\d+`).FindString(names[0])
		}
		select {
		case <-a.changed:
		case <-late:
			a.t.Fatal("no tool is listed")
		}
	}
}

// operates has an agent list and call the tools of a page that changes, at a node that leaves in the end.
func operates(t *testing.T, a *agent, page *cdptest.Page, drain func()) {
	t.Helper()
	number := a.number()
	named := func(site, tool string) string { return "webmcp_" + site + "_test_" + number + "_" + tool }
	a.wants(named("shop", "buy"))
	a.gives(named("shop", "buy"), "bought")
	large := strings.Repeat("large ", 1<<19) // it comes in parts
	page.Register(tool("sell", says(large)))
	a.wants(named("shop", "buy"), named("shop", "sell"))
	a.gives(named("shop", "sell"), large)
	page.Unregister("buy")
	a.wants(named("shop", "sell"))
	page.Navigate("http://bank.test/")
	page.Register(tool("pay", says("paid")))
	a.wants(named("bank", "pay"))
	a.gives(named("bank", "pay"), "paid")
	drain()
	a.wants()
}

// A node of the build before serves a gateway of this one.
func TestNodeOfTheBuildBefore(t *testing.T) {
	program := before(t)
	chrome := cdptest.New()
	server := httptest.NewServer(chrome.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(chrome.Die)
	page := chrome.OpenPage("http://shop.test/")
	page.Register(tool("buy", says("bought")))
	node := run(t, program, "node", "--name", "one", "--listen", "127.0.0.1:0", "--browser-url", server.URL)
	address := node.logs(`address=(\S+)`)
	g := startGateway(t, "front", nil)
	g.SetNodes(map[string]string{"one": address})
	operates(t, connect(t, g, ""), page, func() {
		administers(t, address, func(node api.AdminClient) {
			s, err := node.Status(t.Context(), &api.StatusRequest{})
			if err != nil || s.Pages != 1 || s.Tools != 1 || s.Leaving != "" {
				t.Errorf("the status is %v (%v)", s, err)
			}
			if _, err := node.Drain(t.Context(), &api.DrainRequest{}); err != nil {
				t.Error(err)
			}
		})
	})
	<-node.over
}

// A gateway of the build before offers the pages of this build's node.
func TestGatewayOfTheBuildBefore(t *testing.T) {
	program := before(t)
	one := startNode(t, "one")
	page := one.open("http://shop.test/", tool("buy", says("bought")))
	front := run(t, program, "gateway", "--name", "front", "--node", "one="+one.Addr())
	a := newAgent(t, front.in, front.out)
	t.Cleanup(func() { _ = front.in.Close() })
	a.greet()
	operates(t, a, page, func() { one.Drain("it is told to") })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case <-one.Left():
	case <-ctx.Done():
		t.Error("the node has not left")
	}
}
