package main

import (
	"crypto/tls"
	"net"
	"testing"

	"webmcphub/cluster/certs"
)

// A certificate that was renewed is shown to etcd from the next connection on, without a restart.
func TestRenewedForEtcd(t *testing.T) {
	dir := t.TempDir()
	renew := func() certs.Files {
		all, err := certs.Make(dir, "node/one")
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	f := renew()
	config, err := tlsFlags{CA: f.CA, Cert: f.Cert, Key: f.Key}.etcd()
	if err != nil {
		t.Fatal(err)
	}
	first := shown(t, config, f)
	renew()
	if second := shown(t, config, f); second == first {
		t.Error("the earlier certificate is still shown")
	}
}

// shown is the serial number of the certificate that a server is shown.
func shown(t *testing.T, config *tls.Config, server certs.Files) string {
	t.Helper()
	own, err := tls.LoadX509KeyPair(server.Cert, server.Key)
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	config = config.Clone()
	config.InsecureSkipVerify = true // the server's certificate has no host's name
	client := make(chan error, 1)
	go func() { client <- tls.Client(here, config).Handshake() }()
	conn := tls.Server(there, &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAnyClientCert, SessionTicketsDisabled: true})
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-client; err != nil {
		t.Fatal(err)
	}
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}
