package proctest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Etcd is an etcd of one member or of several, each a process.
type Etcd struct {
	Members []*Process
	// Endpoints are where the members serve clients: host:port.
	Endpoints []string

	folder string
	peers  []string
	all    string // --initial-cluster
	tls    *TLS
}

// TLS are the files of a certificate with which etcd serves its clients, who must have one of the same CA.
type TLS struct{ CA, Cert, Key string }

// StartEtcd starts etcd, which must be installed, and waits until it serves: over https if tls isn't nil. What it
// keeps is in the folder.
func StartEtcd(ctx context.Context, folder string, members int, tls *TLS) (*Etcd, error) {
	if _, err := exec.LookPath("etcd"); err != nil {
		return nil, fmt.Errorf("etcd is not installed (Debian: apt-get install etcd-server): %w", err)
	}
	ports, err := FreePorts(2 * members)
	if err != nil {
		return nil, err
	}
	e := &Etcd{folder: folder, Endpoints: ports[:members], peers: ports[members:], tls: tls}
	var all []string
	for i := range members {
		all = append(all, memberName(i)+"=http://"+e.peers[i])
	}
	e.all = strings.Join(all, ",")
	for i := range members {
		p, err := e.start(i)
		if err != nil {
			e.Stop()
			return nil, err
		}
		e.Members = append(e.Members, p)
	}
	for i := range members {
		if err := e.AwaitServing(ctx, i); err != nil {
			e.Stop()
			return nil, err
		}
	}
	return e, nil
}

func memberName(i int) string { return fmt.Sprintf("etcd-%d", i) }

// URL is where a member serves clients.
func (e *Etcd) URL(i int) string {
	if e.tls != nil {
		return "https://" + e.Endpoints[i]
	}
	return "http://" + e.Endpoints[i]
}

func (e *Etcd) start(i int) (*Process, error) {
	peer := "http://" + e.peers[i]
	args := []string{"--name", memberName(i), "--data-dir", e.dataDir(i),
		"--listen-client-urls", e.URL(i), "--advertise-client-urls", e.URL(i), "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer,
		"--initial-cluster", e.all, "--logger", "zap", "--log-level", "warn"}
	if e.tls != nil {
		args = append(args, "--client-cert-auth", "--trusted-ca-file", e.tls.CA, "--cert-file", e.tls.Cert,
			"--key-file", e.tls.Key)
	}
	return Start(memberName(i), e.folder, "etcd", args, nil)
}

func (e *Etcd) dataDir(i int) string { return filepath.Join(e.folder, memberName(i)) }

// Restart starts a member that was killed, with what it has kept.
func (e *Etcd) Restart(i int) (err error) {
	e.Members[i], err = e.start(i)
	return err
}

// Wipe deletes what a member has kept that was killed.
func (e *Etcd) Wipe(i int) error { return os.RemoveAll(e.dataDir(i)) }

// AwaitServing waits until a member has a leader.
func (e *Etcd) AwaitServing(ctx context.Context, i int) error {
	client := http.Client{Timeout: time.Second}
	if e.tls != nil {
		own, err := tls.LoadX509KeyPair(e.tls.Cert, e.tls.Key)
		if err != nil {
			return err
		}
		// Whether it serves is all that this asks.
		client.Transport = &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{own},
			InsecureSkipVerify: true}}
	}
	defer client.CloseIdleConnections()
	return Await(ctx, e.Members[i], func() error {
		r, err := client.Get(e.URL(i) + "/health")
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return errors.New("its health is " + r.Status)
		}
		return nil
	})
}

// Stop ends all members.
func (e *Etcd) Stop() {
	for _, p := range e.Members {
		_ = p.Thaw()
		_ = p.Kill() // what they keep is thrown away
	}
}
