package etcdtest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"webmcphub/internal/proctest"
)

// startBound is how long etcds may take until they serve.
const startBound = 30 * time.Second

// Cluster is etcds that form one cluster.
type Cluster struct{ Members []*Etcd }

// Etcd is one process of etcd, or what is left of it.
type Etcd struct {
	URL string // for clients

	t       testing.TB
	cluster *proctest.Etcd
	i       int // among the cluster's members
}

// Start starts so many etcds as one cluster, and returns when they serve. The test is skipped if
// there is no etcd on PATH, unless WEBMCP_REQUIRE_ETCD is set. They are killed when it ends.
func Start(t testing.TB, members int) *Cluster {
	t.Helper()
	return start(t, members, nil)
}

// StartTLS is [Start] for one etcd over https, with the certificate in these files. It asks its
// clients for theirs, and ca signs both.
func StartTLS(t testing.TB, ca, cert, key string) *Etcd {
	t.Helper()
	return start(t, 1, &proctest.TLS{CA: ca, Cert: cert, Key: key}).Members[0]
}

func start(t testing.TB, members int, tls *proctest.TLS) *Cluster {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_ETCD") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no etcd here: make etcd installs it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), startBound)
	defer cancel()
	cluster, err := proctest.StartEtcd(ctx, t.TempDir(), members, tls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	c := &Cluster{}
	for i := range members {
		c.Members = append(c.Members, &Etcd{URL: cluster.URL(i), t: t, cluster: cluster, i: i})
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
	ctx, cancel := context.WithTimeout(e.t.Context(), startBound)
	defer cancel()
	e.must(e.cluster.Restart(e.i))
	e.must(e.cluster.AwaitServing(ctx, e.i))
}

// Freeze stops the process without its connections noticing.
func (e *Etcd) Freeze() { e.t.Helper(); e.must(e.cluster.Members[e.i].Freeze()) }

// Thaw lets it go on.
func (e *Etcd) Thaw() { e.t.Helper(); e.must(e.cluster.Members[e.i].Thaw()) }

// Kill ends the process by SIGKILL. Its data stay.
func (e *Etcd) Kill() { e.t.Helper(); e.must(e.cluster.Members[e.i].Kill()) }

// Wipe takes the data of an etcd away that was killed.
func (e *Etcd) Wipe() { e.t.Helper(); e.must(e.cluster.Wipe(e.i)) }

func (e *Etcd) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}
