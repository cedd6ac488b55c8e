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
	"slices"
	"strings"
	"syscall"
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

// portTries is how often etcd is started when another program takes one of its ports first.
const portTries = 5

// StartEtcd starts etcd, which must be installed, and waits until it serves: over https if tls isn't nil. What it
// keeps is in the folder.
func StartEtcd(ctx context.Context, folder string, members int, tls *TLS) (*Etcd, error) {
	return startEtcd(ctx, folder, members, tls, FreePorts)
}

// startEtcd is StartEtcd with ports that the given function finds.
func startEtcd(ctx context.Context, folder string, members int, tls *TLS,
	find func(int) ([]string, error)) (*Etcd, error) {
	if _, err := exec.LookPath("etcd"); err != nil {
		return nil, fmt.Errorf("etcd is not installed (Debian: apt-get install etcd-server): %w", err)
	}
	for tries := 1; ; tries++ {
		ports, err := find(2 * members)
		if err != nil {
			return nil, err
		}
		e := &Etcd{folder: folder, Endpoints: ports[:members], peers: ports[members:], tls: tls}
		if err = e.startAll(ctx); err == nil {
			return e, nil
		}
		taken := e.portTaken()
		e.Stop()
		if !taken || tries == portTries {
			return nil, err
		}
		for i, p := range e.Members {
			if err := errors.Join(e.Wipe(i), os.Remove(p.log)); err != nil {
				return nil, err
			}
		}
	}
}

// startAll starts all members, and waits until they serve, or one has ended.
func (e *Etcd) startAll(ctx context.Context) error {
	members := len(e.Endpoints)
	var all []string
	for i := range members {
		all = append(all, memberName(i)+"=http://"+e.peers[i])
	}
	e.all = strings.Join(all, ",")
	for i := range members {
		p, err := e.start(i)
		if err != nil {
			return err
		}
		e.Members = append(e.Members, p)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, p := range e.Members {
		go func() {
			select {
			case <-p.Gone():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	for i := range members {
		if err := e.AwaitServing(ctx, i); err != nil {
			for _, p := range e.Members {
				if ended := p.Running(); ended != nil {
					return ended
				}
			}
			return err
		}
	}
	return nil
}

// portTaken says whether a member has ended because another program has its port.
func (e *Etcd) portTaken() bool {
	return slices.ContainsFunc(e.Members, func(p *Process) bool {
		return p.Running() != nil && strings.Contains(p.Tail(), syscall.EADDRINUSE.Error())
	})
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
