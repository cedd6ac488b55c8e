package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"webmcphub/internal/private"
)

const (
	validFor = 365 * 24 * time.Hour
	// before is how far the start of a certificate's validity lies in the past, for clocks that are slow.
	before = 10 * time.Minute
)

// Make writes certificates for trying the cluster out into a folder. For each name (node/NAME, gateway/NAME or
// operator/NAME) it writes ROLE-NAME.pem and ROLE-NAME-key.pem, signed by the CA in ca.pem and ca-key.pem. It makes
// the folder and the CA if they don't exist. An existing CA signs the new certificates, so that a set can grow. An
// earlier certificate with the same name is replaced. Certificates are valid for a year, but no longer than their CA.
// Only the owner can read private keys (0600). Only Make needs ca-key.pem; no process does. Make returns the files of
// each name, in the order of the names.
func Make(dir string, names ...string) ([]Files, error) {
	return makeAt(time.Now(), dir, names...)
}

func makeAt(now time.Time, dir string, names ...string) ([]Files, error) {
	ids := make([]Identity, len(names))
	for i, name := range names {
		var err error
		if ids[i], err = Parse(name); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ca, err := openCA(dir, now)
	if err != nil {
		return nil, err
	}
	all := make([]Files, len(ids))
	for i, id := range ids {
		base := filepath.Join(dir, strings.ReplaceAll(id.ID(), "/", "-"))
		all[i] = Files{CA: filepath.Join(dir, "ca.pem"), Cert: base + ".pem", Key: base + "-key.pem"}
		if err := issue(ca, id, now, all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// openCA reads the folder's CA. If there is none, openCA makes it first.
func openCA(dir string, now time.Time) (ca tls.Certificate, err error) {
	certFile, keyFile := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "ca-key.pem")
	_, err = os.Stat(keyFile)
	_, err2 := os.Stat(certFile)
	if errors.Is(err, fs.ErrNotExist) && errors.Is(err2, fs.ErrNotExist) {
		if err := makeCA(certFile, keyFile, now); err != nil {
			return ca, err
		}
	}
	if ca, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		return ca, fmt.Errorf("no certificate can be signed: %s and %s must be the CA's certificate and key: %w",
			certFile, keyFile, err)
	}
	if now.After(ca.Leaf.NotAfter) {
		return ca, fmt.Errorf("the CA in %s expired on %s: remove ca.pem and ca-key.pem, and make all "+
			"certificates again", certFile, day(ca.Leaf.NotAfter))
	}
	return ca, nil
}

func makeCA(certFile, keyFile string, now time.Time) error {
	return create(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "WebMCP Hub cluster CA, made " + day(now)},
		NotBefore: now.Add(-before), NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}, tls.Certificate{}, keyFile, certFile)
}

// issue writes a certificate for a process, with its key.
func issue(ca tls.Certificate, id Identity, now time.Time, to Files) error {
	until := now.Add(validFor)
	if ca.Leaf.NotAfter.Before(until) {
		until = ca.Leaf.NotAfter
	}
	return create(&x509.Certificate{
		Subject: pkix.Name{CommonName: id.String()}, URIs: []*url.URL{id.uri()},
		NotBefore: now.Add(-before), NotAfter: until,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, ca, to.Key, to.Cert)
}

// create makes a key, and a certificate for it with a random serial number. ca signs the certificate; if ca is zero,
// the key itself does. Each file replaces an earlier one atomically, so a reader never sees half a file.
func create(template *x509.Certificate, ca tls.Certificate, keyFile, certFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if ca.Leaf == nil {
		ca = tls.Certificate{Leaf: template, PrivateKey: key}
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, &key.PublicKey, ca.PrivateKey)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	if err := private.Replace(keyFile, keyPEM, 0o600); err != nil {
		return err
	}
	return private.Replace(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
