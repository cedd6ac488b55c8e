package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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
	// before is how much earlier certificates are valid, for clocks that are slow.
	before = 10 * time.Minute
)

// Make writes certificates for trying into a folder: for each name, node/NAME, gateway/NAME or operator/NAME,
// ROLE-NAME.pem and ROLE-NAME-key.pem, all signed by the CA in ca.pem and ca-key.pem. It makes the
// folder and the CA where there is none; an existing CA signs the new ones, too, so that a set
// can grow. A name's earlier certificate is replaced. Certificates are valid for a year, or as long
// as their CA. Private keys are for their owner's eyes (0600); ca-key.pem is needed to make more
// certificates, and by no process. It gives the files of each name, in their order.
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
		if err := ca.issue(id, now, all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// openCA reads the folder's CA, or makes it.
func openCA(dir string, now time.Time) (*authority, error) {
	certFile, keyFile := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "ca-key.pem")
	_, err := os.Stat(keyFile)
	_, err2 := os.Stat(certFile)
	if errors.Is(err, fs.ErrNotExist) && errors.Is(err2, fs.ErrNotExist) {
		return makeCA(certFile, keyFile, now)
	}
	cert, err := readCert(certFile)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("the key of the CA in %s can't be read, so that nothing can be signed: %w", certFile,
			err)
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("%s has no key in PEM", keyFile)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	signer, ok := key.(*ecdsa.PrivateKey)
	if !ok || !signer.PublicKey.Equal(cert.PublicKey) {
		return nil, fmt.Errorf("%s isn't the key of the CA in %s", keyFile, certFile)
	}
	if now.After(cert.NotAfter) {
		return nil, fmt.Errorf("the CA in %s expired on %s: take ca.pem and ca-key.pem away and make all "+
			"certificates anew", certFile, day(cert.NotAfter))
	}
	return &authority{cert, signer}, nil
}

func readCert(file string) (*x509.Certificate, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("%s has no certificate in PEM", file)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func makeCA(certFile, keyFile string, now time.Time) (*authority, error) {
	return create(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "WebMCP Hub cluster CA, made " + day(now)},
		NotBefore: now.Add(-before), NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}, nil, keyFile, certFile)
}

// issue writes a certificate for a process, with its key.
func (a *authority) issue(id Identity, now time.Time, to Files) error {
	until := now.Add(validFor)
	if a.cert.NotAfter.Before(until) {
		until = a.cert.NotAfter
	}
	_, err := create(&x509.Certificate{
		Subject: pkix.Name{CommonName: id.String()}, URIs: []*url.URL{id.uri()},
		NotBefore: now.Add(-before), NotAfter: until,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a, to.Key, to.Cert)
	return err
}

// create makes a key, and a certificate for it with a random serial number, which an authority signs, or, with nil, the
// key itself. It writes both.
func create(template *x509.Certificate, by *authority, keyFile, certFile string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if by == nil {
		by = &authority{template, key}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	if err != nil {
		return nil, err
	}
	if err := write(keyFile, certFile, key, raw); err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(raw)
	return &authority{cert, key}, err
}

// write puts a key and its certificate in the places of earlier ones. Whoever reads them meanwhile
// sees whole files.
func write(keyFile, certFile string, key *ecdsa.PrivateKey, cert []byte) error {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	if err := private.Replace(keyFile, keyPEM, 0o600); err != nil {
		return err
	}
	return private.Replace(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
