package etcdtest

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Cluster is etcds that form one cluster.
type Cluster struct{ Members []*Etcd }

// Etcd is one process of etcd, or what is left of it.
type Etcd struct {
	URL  string // for clients
	t    testing.TB
	dir  string
	args []string

	tls   *tls.Config // nil for http
	cmd   *exec.Cmd
	ended chan struct{}
	said  said
}

// said is what the process wrote.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// String is the end of it.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.text.String()
	return text[max(0, len(text)-2000):]
}

// Start starts so many etcds as one cluster, and returns when they serve. The test is skipped if
// there is no etcd on PATH, unless WEBMCP_REQUIRE_ETCD is set. They are killed when it ends.
func Start(t testing.TB, members int) *Cluster {
	t.Helper()
	return start(t, members, "http", nil)
}

// StartTLS is [Start] for one etcd over https, with the certificate in these files. It asks its
// clients for theirs, and ca signs both.
func StartTLS(t testing.TB, ca, cert, key string) *Etcd {
	t.Helper()
	own := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		return &pair, err
	}
	// Whether it serves is all that this asks.
	asks := &tls.Config{GetClientCertificate: own, InsecureSkipVerify: true}
	return start(t, 1, "https", asks, "--client-cert-auth", "--trusted-ca-file", ca, "--cert-file", cert, "--key-file",
		key).Members[0]
}

func start(t testing.TB, members int, scheme string, asks *tls.Config, more ...string) *Cluster {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_ETCD") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no etcd here: make etcd installs it")
	}
	c := &Cluster{}
	peers, initial := freePorts(t, 2*members), []string{}
	for i := range members {
		initial = append(initial, fmt.Sprintf("m%d=http://%s", i, peers[i]))
	}
	for i := range members {
		e := &Etcd{t: t, dir: filepath.Join(t.TempDir(), "data"), URL: scheme + "://" + peers[members+i], tls: asks}
		e.args = []string{"--name", fmt.Sprintf("m%d", i), "--data-dir", e.dir,
			"--listen-client-urls", e.URL, "--advertise-client-urls", e.URL,
			"--listen-peer-urls", "http://" + peers[i], "--initial-advertise-peer-urls", "http://" + peers[i],
			"--initial-cluster", strings.Join(initial, ","), "--initial-cluster-token", peers[0],
			"--logger", "zap", "--log-outputs", "stderr", "--log-level", "error"}
		e.args = append(e.args, more...)
		c.Members = append(c.Members, e)
		t.Cleanup(e.Kill)
		e.launch()
	}
	for _, e := range c.Members {
		e.await()
	}
	return c
}

// URLs are those for clients.
func (c *Cluster) URLs() (all []string) {
	for _, e := range c.Members {
		all = append(all, e.URL)
	}
	return all
}

// Start starts an etcd that was killed, and returns when it serves.
func (e *Etcd) Start() {
	e.t.Helper()
	e.launch()
	e.await()
}

func (e *Etcd) launch() {
	e.t.Helper()
	e.cmd, e.ended = exec.Command("etcd", e.args...), make(chan struct{})
	e.cmd.Stdout, e.cmd.Stderr = &e.said, &e.said
	e.cmd.SysProcAttr = attributes()
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	cmd, ended := e.cmd, e.ended
	go func() { _ = cmd.Wait(); close(ended) }()
}

// await returns when the etcd serves.
func (e *Etcd) await() {
	e.t.Helper()
	client := &http.Client{Timeout: time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: e.tls}}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	bound := time.After(30 * time.Second)
	for {
		if resp, err := client.Get(e.URL + "/health"); err == nil {
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK && bytes.Contains(body, []byte(`"true"`)) {
				return
			}
		}
		select {
		case <-again.C:
		case <-e.ended:
			e.t.Fatalf("etcd has ended: %s", e.said.String())
		case <-bound:
			e.t.Fatalf("etcd doesn't serve: %s", e.said.String())
		}
	}
}

// Freeze stops the process without its connections noticing.
func (e *Etcd) Freeze() { e.signal(syscall.SIGSTOP) }

// Thaw lets it go on.
func (e *Etcd) Thaw() { e.signal(syscall.SIGCONT) }

func (e *Etcd) signal(s syscall.Signal) {
	e.t.Helper()
	if err := e.cmd.Process.Signal(s); err != nil {
		e.t.Fatal(err)
	}
}

// Kill ends the process by SIGKILL. Its data stay.
func (e *Etcd) Kill() {
	if e.cmd == nil || e.cmd.Process == nil {
		return
	}
	_ = e.cmd.Process.Kill()
	<-e.ended
}

// Wipe takes the data of an etcd away that was killed.
func (e *Etcd) Wipe() {
	e.t.Helper()
	if err := os.RemoveAll(e.dir); err != nil {
		e.t.Fatal(err)
	}
}

// freePorts are addresses on loopback that nobody listens at just now.
func freePorts(t testing.TB, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}
