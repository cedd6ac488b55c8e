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
	CA   string // the certificates of the CAs that sign all others of the cluster, PEM
	Cert string // the process's own, PEM, with those between it and the CA if there are any
	Key  string // its private key, PEM, for nobody else's eyes
}

// content is what was in the files.
type content struct {
	roots *x509.CertPool
	own   tls.Certificate
	id    Identity
}

// read reads the files, and says what is wrong with them.
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
			return nil, fmt.Errorf("the certificate in %s won't do: %w", f.Cert, err)
		}
	}
	return c, nil
}

// load reads the files, and checks neither whose the certificate is nor who signed it.
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
		return nil, fmt.Errorf("%s and %s are no certificate and its key: %w", f.Cert, f.Key, err)
	}
	return c, nil
}

// Foreign is for connecting to a server that is no process of the cluster, such as etcd, and is known by its host's
// name. It reads the files each time, and leaves to the server whether the certificate will do.
func (f Files) Foreign() (*tls.Config, error) {
	c, err := f.load()
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: c.roots, MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.own}}, nil
}

// Identity says whose certificate it is. It checks no signature.
func (f Files) Identity() (Identity, error) {
	own, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return Identity{}, err
	}
	return Of(own.Leaf)
}

// chain has the certificates of a pair, its own first.
func chain(pair tls.Certificate) []*x509.Certificate {
	all := []*x509.Certificate{pair.Leaf}
	for _, raw := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(raw); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// checkKeyMode refuses a key that others than its owner and group can reach.
func checkKeyMode(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("the private key can't be read: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("every user of this machine can reach the private key %s (its mode is %#o): chmod 600 "+
			"%[1]s, and make another one if somebody may have read it", file, mode)
	}
	return nil
}

// verify checks certificates as they were shown, and says whose they are.
func (c *content) verify(shown []*x509.Certificate, usage x509.ExtKeyUsage, now time.Time) (Identity, error) {
	if len(shown) == 0 {
		return Identity{}, errors.New("no certificate was shown")
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

// explain says why a certificate is refused, and what to do.
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
			"certificates of one CA", id, leaf.Issuer.CommonName)
	}
	return fmt.Errorf("the certificate of %s: %w", id, err)
}
