package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Files names the files of a process's certificates.
type Files struct {
	CA   string // PEM: the certificates of the CAs that sign the cluster's certificates
	Cert string // PEM: the process's certificate, followed by any intermediate certificates
	Key  string // PEM: the certificate's private key, for its owner and group only
}

// content is what a process's files contained when they were read.
type content struct {
	roots *x509.CertPool
	own   tls.Certificate
	id    Identity
}

// read reads the files, and returns an error if the process can't use them.
func (f Files) read(now time.Time) (*content, error) {
	if err := checkKeyMode(f.Key); err != nil {
		return nil, err
	}
	c, err := f.load()
	if err != nil {
		return nil, err
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		if c.id, err = c.verify(chain(c.own), usage, now); err != nil {
			return nil, fmt.Errorf("the certificate in %s can't be used: %w", f.Cert, err)
		}
	}
	return c, nil
}

// load reads the files. It checks neither who owns the certificate nor who signed it.
func (f Files) load() (*content, error) {
	raw, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, fmt.Errorf("the CA's certificate can't be read: %w", err)
	}
	c := &content{roots: x509.NewCertPool()}
	if !c.roots.AppendCertsFromPEM(raw) {
		return nil, fmt.Errorf("%s has no certificate in PEM: it must be the CA's", f.CA)
	}
	if c.own, err = tls.LoadX509KeyPair(f.Cert, f.Key); err != nil {
		return nil, fmt.Errorf("%s and %s are not a certificate and its key: %w", f.Cert, f.Key, err)
	}
	return c, nil
}

// Foreign returns the TLS configuration for a server outside the cluster, such as etcd, which is verified by its host
// name. It reads the files each time. It doesn't check the process's own certificate: the server does.
func (f Files) Foreign() (*tls.Config, error) {
	c, err := f.load()
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: c.roots, MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.own}}, nil
}

// Identity returns the identity that the certificate names. It checks no signature.
func (f Files) Identity() (Identity, error) {
	own, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return Identity{}, err
	}
	return Of(own.Leaf)
}

// chain returns the certificates of a pair: the leaf, then the intermediate ones.
func chain(pair tls.Certificate) []*x509.Certificate {
	all := []*x509.Certificate{pair.Leaf}
	for _, raw := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(raw); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// checkKeyMode returns an error if users other than the key file's owner and group have access to it.
func checkKeyMode(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("the private key can't be read: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("every user of this machine has access to the private key %s (its mode is %#o): chmod "+
			"600 %[1]s, and make another key if somebody may have read this one", file, mode)
	}
	return nil
}

// verify checks a process's certificates, the leaf first, and returns the identity that the leaf names.
func (c *content) verify(shown []*x509.Certificate, usage x509.ExtKeyUsage, now time.Time) (Identity, error) {
	if len(shown) == 0 {
		return Identity{}, errors.New("the peer sent no certificate")
	}
	leaf := shown[0]
	id, err := Of(leaf)
	if err != nil {
		return Identity{}, err
	}
	between := x509.NewCertPool()
	for _, more := range shown[1:] {
		between.AddCert(more)
	}
	_, err = leaf.Verify(x509.VerifyOptions{Roots: c.roots, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{usage}, CurrentTime: now})
	return id, explain(err, leaf, id, now)
}

// explain turns an error of a certificate's verification into one that also says what to do.
func explain(err error, leaf *x509.Certificate, id Identity, now time.Time) error {
	var unknown x509.UnknownAuthorityError
	switch {
	case err == nil:
		return nil
	case now.After(leaf.NotAfter):
		return fmt.Errorf("the certificate of %s expired on %s: make another one", id, day(leaf.NotAfter))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("the certificate of %s isn't valid before %s: is a clock wrong?", id,
			leaf.NotBefore.UTC().Format(time.DateTime))
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of %s is signed by %q, which isn't this cluster's CA: all processes need "+
			"certificates from one CA", id, leaf.Issuer.CommonName)
	}
	return fmt.Errorf("the certificate of %s: %w", id, err)
}
