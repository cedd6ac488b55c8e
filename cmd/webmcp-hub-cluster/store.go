package main

import (
	"crypto/rand"
	"crypto/tls"
	"log/slog"
	"os"
	"strings"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/etcd"
	"webmcphub/cluster/leases"
)

// storeFlags say where the cluster keeps its members and leases.
type storeFlags struct {
	Etcd        []string `placeholder:"URL" help:"An etcd (3.4 or later) that all nodes and gateways know, http://HOST:PORT or https://HOST:PORT: gateways find nodes by it, and browsers are lent. Repeatable, for each of its members."`
	EtcdCluster string   `default:"hub" placeholder:"NAME" help:"Which cluster of those that share the etcd."`
	EtcdUser    string   `placeholder:"NAME" help:"The user's name at etcd. The password is in the environment, as ETCD_PASSWORD."`
}

// open opens the store, or returns nil if there is none. Gateways are candidates in the election. refused, if not nil,
// is called if another living process has this one's name.
func (f storeFlags) open(name string, candidate bool, own tlsFlags, refused func(error),
	log *slog.Logger) (*leases.Store, error) {
	if len(f.Etcd) == 0 {
		return nil, nil
	}
	// The name differs after each start, so that entries of an earlier process can't be taken for this one's.
	client := leases.Options{Name: name + "-" + strings.ToLower(rand.Text()[:8]), Candidate: candidate,
		Refused: refused}
	return etcd.Open(etcd.Options{Endpoints: f.Etcd, Cluster: f.EtcdCluster, TLS: own.etcd(), Username: f.EtcdUser,
		Password: os.Getenv("ETCD_PASSWORD"), Logger: log}, client)
}

// etcd returns a function that makes the TLS configuration for etcd, with the certificates that nodes and gateways
// use. etcd returns nil without certificates.
func (f tlsFlags) etcd() func() (*tls.Config, error) {
	if f.Cert == "" {
		return nil
	}
	return certs.Files{CA: f.CA, Cert: f.Cert, Key: f.Key}.Foreign
}
