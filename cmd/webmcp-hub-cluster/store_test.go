package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

// Browsers are lent over TLS, and go on being lent by an authority that took the place of the one at the start:
// its files are read again, without a restart.
func TestStoreOverTLS(t *testing.T) {
	dir := t.TempDir()
	of := certificates(t, dir)
	server := etcdtest.StartTLS(t, of.CA, filepath.Join(dir, "etcd.pem"), filepath.Join(dir, "etcd-key.pem"))
	flags := storeFlags{Etcd: []string{server.URL}, EtcdCluster: "hub"}
	w := leasetest.NewWorld(t, func(o leases.Options) *leases.Store {
		s, err := flags.open(o.Name, o.Candidate, tlsFlags{CA: of.CA, Cert: of.Cert, Key: of.Key}, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	s, _ := w.Gateway("a", nil), w.Node("one", 2)
	w.Knows(s, 1)
	w.Get(s, leases.Request{Tenant: "x"})

	server.Kill()
	for _, file := range []string{"ca.pem", "ca-key.pem"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	certificates(t, dir)
	server.Start()
	w.Get(s, leases.Request{Tenant: "x", Wait: time.Minute})
}

// A broken file is said at the start.
func TestStoreWithoutCertificates(t *testing.T) {
	dir := t.TempDir()
	of := certificates(t, dir)
	if err := os.WriteFile(of.CA, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := storeFlags{Etcd: []string{"https://127.0.0.1:1"}, EtcdCluster: "hub"}.open("one", false, tlsFlags{CA: of.CA, Cert: of.Cert, Key: of.Key}, nil, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "ca.pem has no certificate") {
		t.Errorf("opened with %v", err)
	}
}

// certificates makes those of a node, and in etcd.pem and etcd-key.pem those of an etcd on loopback.
func certificates(t *testing.T, dir string) certs.Files {
	t.Helper()
	all, err := certs.Make(dir, "node/one")
	if err != nil {
		t.Fatal(err)
	}
	ca, err := tls.LoadX509KeyPair(all[0].CA, filepath.Join(dir, "ca-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: ca.Leaf.NotBefore, NotAfter: ca.Leaf.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	cert, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, &key.PublicKey, ca.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"etcd.pem": {Type: "CERTIFICATE", Bytes: cert}, "etcd-key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return all[0]
}
