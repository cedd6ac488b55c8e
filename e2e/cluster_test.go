package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A member is a process of a cluster: of webmcp-hub-cluster, or of etcd.
type member struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr *log
	exited chan struct{} // closed when it has ended
	ended  error         // how; set before exited is closed
}

// startMember starts a program that ends with the test, at the latest.
func startMember(t *testing.T, program string, args ...string) *member {
	t.Helper()
	m := &member{t: t, cmd: exec.Command(program, args...), stderr: &log{}, exited: make(chan struct{})}
	m.cmd.Stdout, m.cmd.Stderr = m.stderr, m.stderr
	m.cmd.Env, m.cmd.SysProcAttr = environ(t), ownGroup()
	m.cmd.WaitDelay = patience // a left-over Chrome would hold stderr open
	started := make(chan error, 1)
	go func() { // stays on one thread: see ownGroup
		goruntime.LockOSThread()
		defer close(m.exited)
		err := m.cmd.Start()
		if started <- err; err == nil {
			m.ended = m.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.signal(syscall.SIGTERM)
		select {
		case <-m.exited:
		case <-time.After(patience):
			t.Errorf("%s did not end after SIGTERM", m.cmd)
			m.kill()
		}
		m.stderr.check(t)
	})
	return m
}

func (m *member) signal(s syscall.Signal) { _ = m.cmd.Process.Signal(s) } // it may have ended

// kill ends the process as a crash would.
func (m *member) kill() {
	m.signal(syscall.SIGKILL)
	<-m.exited
}

// waitLeft waits until the process has ended by itself, without an error.
func (m *member) waitLeft() {
	m.t.Helper()
	select {
	case <-m.exited:
		if m.ended != nil {
			m.t.Errorf("%s ended with %v", m.cmd, m.ended)
		}
	case <-time.After(patience):
		m.t.Fatalf("%s has not ended", m.cmd)
	}
}

// clusterBinary builds the cluster's program when the first test needs it.
var clusterBinary = sync.OnceValues(func() (string, error) { return build("webmcp-hub-cluster") })

// startEtcd starts an etcd, and gives its address. It may not serve yet: nodes and gateways wait for it.
func startEtcd(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("etcd")
	if err != nil {
		if os.Getenv("WEBMCP_REQUIRE_ETCD") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no etcd on the PATH (make etcd installs it)")
	}
	clients, peers := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t)
	startMember(t, program, "--data-dir", t.TempDir(), "--listen-client-urls", clients, "--advertise-client-urls", clients, "--name", "only",
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "only="+peers, "--logger", "zap", "--log-level", "error")
	return clients
}

// A cluster is a real one: an etcd, nodes that start Chromiums, and gateways.
type cluster struct {
	etcd, binary, tenants string
	profiles              string // the folder with those of the nodes' Chromiums
}

// A gateway is a running gateway, and how its clients reach it.
type gateway struct {
	*member
	url string
}

// tenantNames are those of every cluster's tenants.
var tenantNames = []string{"shop", "bank"}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	chromePath(t)
	c := &cluster{tenants: filepath.Join(t.TempDir(), "tenants.yaml")}
	var err error
	if c.profiles, err = os.MkdirTemp("", "webmcp-e2e-cluster-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the nodes have ended
		waitNoProcess(t, c.profiles)
		(&chrome{profile: c.profiles}).forget()
	})
	setenv(t, "TMPDIR", c.profiles)
	c.etcd = startEtcd(t)
	hubUnderTest(t) // the tests depend on the sources
	if c.binary, err = clusterBinary(); err != nil {
		t.Fatal(err)
	}
	file := "tenants:\n"
	for _, name := range tenantNames {
		file += fmt.Sprintf("  - {name: %s, token: %s}\n", name, c.token(name))
	}
	if err := os.WriteFile(c.tenants, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) token(tenant string) string { return "the-token-of-tenant-" + tenant }

// node starts a node that has one Chromium to lend, with the label host=NAME.
func (c *cluster) node(t *testing.T, name string, flags ...string) *member {
	t.Helper()
	return startMember(t, c.binary, append([]string{"node", "--name", name, "--listen", "127.0.0.1:0", "--pool", "1", "--label", "host=" + name, "--etcd", c.etcd, "--log-level", "debug"}, flags...)...)
}

func (c *cluster) gateway(t *testing.T, name string, flags ...string) *gateway {
	t.Helper()
	m := startMember(t, c.binary, append([]string{"gateway", "--name", name, "--listen", "127.0.0.1:0", "--no-stdio", "--tenants", c.tenants, "--etcd", c.etcd, "--log-level", "debug"}, flags...)...)
	m.stderr.wait(t, "served over HTTP")
	return &gateway{m, servedAt.FindStringSubmatch(m.stderr.String())[1]}
}

// client is one of a tenant at a gateway.
func (c *cluster) client(t *testing.T, g *gateway, tenant string) *hub {
	t.Helper()
	return connectTo(t, g.url, c.token(tenant), g.stderr)
}

// acquire gives the handle of a browser of a node, which may just have been started: until it is a
// member there are no browsers with its label.
func (h *hub) acquire(node string) (handle string) {
	h.t.Helper()
	var r *mcp.CallToolResult
	poll(h.t, "no browser of "+node+" is lent", func() bool {
		r = h.call("acquire_browser", map[string]any{"labels": []string{"host=" + node}, "wait": patience.Seconds()})
		return !strings.Contains(textOf(r), `"reason":"labels"`)
	})
	var given struct{ Browser string }
	if err := json.Unmarshal([]byte(textOf(r)), &given); err != nil || r.IsError || !strings.HasPrefix(given.Browser, node+"/chrome-1~") {
		h.t.Fatalf("acquire_browser answered %s", asJSON(r))
	}
	return given.Browser
}

// openIn opens a tab in a browser by its handle, and waits for its page's tool of a name.
func (h *hub) openIn(handle, url, tool string) (name string) {
	h.t.Helper()
	if r := h.call("open_tab", map[string]any{"browser": handle, "url": url}); r.IsError {
		h.t.Fatal(textOf(r))
	}
	return h.waitOwn(tool)
}

// waitOwn waits for a tool by its page's own name for it.
func (h *hub) waitOwn(own string) (name string) {
	h.t.Helper()
	h.waitTools("a page's "+own, func(tools toolList) bool {
		name = ""
		for _, tool := range pageTools(tools) {
			if strings.HasSuffix(tool, "_"+own) {
				name = tool
			}
		}
		return name != ""
	})
	return name
}
