package procs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
}

// StartEtcd starts etcd, which must be installed, and waits until it serves. What it keeps is in
// the folder.
func StartEtcd(ctx context.Context, folder string, members int) (*Etcd, error) {
	if _, err := exec.LookPath("etcd"); err != nil {
		return nil, fmt.Errorf("etcd is not installed (Debian: apt-get install etcd-server): %w", err)
	}
	ports, err := FreePorts(2 * members)
	if err != nil {
		return nil, err
	}
	e := &Etcd{folder: folder, Endpoints: ports[:members], peers: ports[members:]}
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

func (e *Etcd) start(i int) (*Process, error) {
	client, peer := "http://"+e.Endpoints[i], "http://"+e.peers[i]
	return Start(memberName(i), e.folder, "etcd",
		[]string{"--name", memberName(i), "--data-dir", filepath.Join(e.folder, memberName(i)),
			"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
			"--initial-advertise-peer-urls", peer,
			"--initial-cluster", e.all, "--logger", "zap", "--log-level", "warn"}, nil)
}

// Restart starts a member that was killed, with what it has kept.
func (e *Etcd) Restart(i int) (err error) {
	e.Members[i], err = e.start(i)
	return err
}

// AwaitServing waits until a member has a leader.
func (e *Etcd) AwaitServing(ctx context.Context, i int) error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	return Await(ctx, e.Members[i], func() error {
		r, err := client.Get("http://" + e.Endpoints[i] + "/health")
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
