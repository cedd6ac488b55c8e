package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync"
	"time"

	"webmcphub/internal/settings"
)

// Set holds a process's current certificates. Any goroutine may use it.
type Set struct {
	files   Files
	self    Identity
	changed func(error)
	now     func() time.Time

	mu   sync.Mutex
	at   [3]settings.Stamp // of the files at the last read, even if that failed
	last *content          // of the last read that succeeded
}

// Open reads the files of self. After the files have changed, the goroutine of the next handshake reads them again,
// and calls changed with nil or with an error. After an error the earlier certificates stay in use. changed may be
// nil.
func Open(f Files, self Identity, changed func(error)) (*Set, error) {
	s := &Set{files: f, self: self, changed: changed, now: time.Now}
	s.at = s.stamps()
	var err error
	s.last, err = s.read()
	return s, err
}

func (s *Set) read() (*content, error) {
	c, err := s.files.read(s.now())
	if err != nil {
		return nil, err
	}
	if c.id != s.self {
		return nil, fmt.Errorf("the certificate in %s is that of %s, but this is %s", s.files.Cert, c.id, s.self)
	}
	return c, nil
}

func (s *Set) stamps() (at [3]settings.Stamp) {
	for i, file := range []string{s.files.CA, s.files.Cert, s.files.Key} {
		at[i] = settings.StampOf(file)
	}
	return at
}

// current returns the certificates in use, after it has read the files again if they have changed.
func (s *Set) current() *content {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.stamps()
	if at == s.at {
		return s.last
	}
	s.at = at
	c, err := s.read()
	if err == nil {
		s.last = c
	}
	if s.changed != nil {
		s.changed(err)
	}
	return s.last
}

// Server returns the TLS configuration with which a node accepts gateways and operators.
func (s *Set) Server() *tls.Config {
	c := s.config()
	c.ClientAuth = tls.RequireAnyClientCert
	c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.own() }
	c.VerifyConnection = func(state tls.ConnectionState) error {
		id, err := s.current().verify(state.PeerCertificates, x509.ExtKeyUsageClientAuth, s.now())
		if err != nil {
			return err
		}
		return s.self.mayConnect(id)
	}
	return c
}

// Client returns the TLS configuration with which this process connects to a peer.
func (s *Set) Client(peer Identity) *tls.Config {
	c := s.config()
	c.InsecureSkipVerify = true // VerifyConnection verifies, by the URI instead of the host's name
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return s.own() }
	c.VerifyConnection = func(state tls.ConnectionState) error {
		id, err := s.current().verify(state.PeerCertificates, x509.ExtKeyUsageServerAuth, s.now())
		if err == nil && id != peer {
			err = fmt.Errorf("%s was expected, but %s listens there: is an address wrong?", peer, id)
		}
		return err
	}
	return c
}

// config returns what Server and Client have in common. It turns off session resumption, so that the current files
// apply to every connection.
func (s *Set) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true}
}

// own returns this process's certificate, or an error if it has expired.
func (s *Set) own() (*tls.Certificate, error) {
	c := s.current()
	if leaf := c.own.Leaf; s.now().After(leaf.NotAfter) {
		return nil, fmt.Errorf("our own certificate, %s, expired on %s: replace it with a new one", s.files.Cert,
			day(leaf.NotAfter))
	}
	return &c.own, nil
}
