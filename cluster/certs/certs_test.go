package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func made(t *testing.T, dir string, now time.Time, names ...string) []Files {
	t.Helper()
	files, err := makeAt(now, dir, names...)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	files := made(t, dir, time.Now(), "node/a", "gateway/g-1")
	more := made(t, dir, time.Now(), "node/b") // by the same CA
	for i, f := range append(files, more...) {
		c, err := f.read(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"node/a", "gateway/g-1", "node/b"}[i]; c.id.ID() != want {
			t.Errorf("the certificate of %s is %s's", want, c.id)
		}
		if key := c.own.PrivateKey.(*ecdsa.PrivateKey); key.Curve != elliptic.P256() {
			t.Errorf("%s has another curve than P-256", f.Key)
		}
		if days := time.Until(c.own.Leaf.NotAfter).Hours() / 24; days < 364 || days > 366 {
			t.Errorf("%s is valid for %.0f days", f.Cert, days)
		}
		for _, key := range []string{f.Key, filepath.Join(dir, "ca-key.pem")} {
			if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", key, info.Mode(), err)
			}
		}
	}
	for _, name := range []string{"a", "node/", "node/A", "browser/a", "node/a/b", "node/../a", "node/" + strings.Repeat("a", 33)} {
		if _, err := Make(dir, name); err == nil {
			t.Errorf("a certificate was made for %q", name)
		}
	}
}

func TestWhatIsWrongWithFilesIsSaid(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	f := made(t, dir, time.Now(), "node/a")[0]
	foreign := made(t, other, time.Now(), "node/a")[0]
	old := made(t, t.TempDir(), time.Now().Add(-2*validFor), "node/a")[0]
	open := made(t, t.TempDir(), time.Now(), "node/a")[0]
	if err := os.Chmod(open.Key, 0o644); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		files Files
		self  Identity
		says  string
	}{
		"of another":        {f, Identity{"node", "b"}, "is that of node a, but this is node b"},
		"of another role":   {f, Identity{"gateway", "a"}, "is that of node a, but this is gateway a"},
		"another CA":        {Files{foreign.CA, f.Cert, f.Key}, Identity{"node", "a"}, "isn't this cluster's CA"},
		"another key":       {Files{f.CA, f.Cert, foreign.Key}, Identity{"node", "a"}, "are not a certificate and its key"},
		"expired":           {old, Identity{"node", "a"}, "expired on"},
		"a key for all":     {open, Identity{"node", "a"}, "chmod 600"},
		"no key":            {Files{f.CA, f.Cert, f.Key + "x"}, Identity{"node", "a"}, "no such file"},
		"no CA":             {Files{f.CA + "x", f.Cert, f.Key}, Identity{"node", "a"}, "no such file"},
		"a key as the CA's": {Files{f.Key, f.Cert, f.Key}, Identity{"node", "a"}, "has no certificate in PEM"},
		"a CA's as its own": {Files{f.CA, f.CA, filepath.Join(dir, "ca-key.pem")}, Identity{"node", "a"}, "must name one"},
	} {
		if _, err := Open(c.files, c.self, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s gave %v; it should say %q", what, err, c.says)
		}
	}
}

// What is asked of certificates within the cluster isn't asked of those for etcd.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	f, other := made(t, dir, time.Now(), "node/a")[0], made(t, t.TempDir(), time.Now(), "node/a")[0]
	old := made(t, t.TempDir(), time.Now().Add(-2*validFor), "node/a")[0]
	open := made(t, t.TempDir(), time.Now(), "node/a")[0]
	if err := os.Chmod(open.Key, 0o644); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		files Files
		says  string // "" is no error
	}{
		"another CA":  {Files{other.CA, f.Cert, f.Key}, ""},
		"expired":     {old, ""},
		"no URI":      {Files{f.CA, f.CA, filepath.Join(dir, "ca-key.pem")}, ""},
		"all may see": {open, ""},
		"another key": {Files{f.CA, f.Cert, other.Key}, "are not a certificate and its key"},
		"no CA":       {Files{f.Key, f.Cert, f.Key}, "has no certificate in PEM"},
	} {
		config, err := c.files.Foreign()
		if !says(err, c.says) || err == nil && (config.RootCAs == nil || len(config.Certificates) != 1) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// shake has two sides meet, and gives what each said.
func shake(t *testing.T, server, client *tls.Config) (atServer, atClient error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	done := make(chan error)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = tls.Server(conn, server).Handshake()
			_ = conn.Close()
		}
		done <- err
	}()
	conn, err := tls.Dial("tcp", l.Addr().String(), client)
	if err == nil {
		_ = conn.Close()
	}
	return <-done, err
}

func opened(t *testing.T, f Files, id string, changed func(error)) *Set {
	t.Helper()
	i, err := Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(f, i, changed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOnlyWhoIsMeantIsTalkedTo(t *testing.T) {
	all := made(t, t.TempDir(), time.Now(), "node/a", "gateway/g", "gateway/h", "operator/g")
	node, gateway := opened(t, all[0], "node/a", nil), opened(t, all[1], "gateway/g", nil)
	other := opened(t, all[2], "gateway/h", nil)
	operator := opened(t, all[3], "operator/g", nil)
	foreign := opened(t, made(t, t.TempDir(), time.Now(), "gateway/g")[0], "gateway/g", nil)
	late := opened(t, all[1], "gateway/g", nil)
	late.now = func() time.Time { return time.Now().Add(2 * validFor) }
	meant := Identity{"node", "a"}
	for what, c := range map[string]struct {
		server, client         *tls.Config
		serverSays, clientSays string // "" is no error
	}{
		"node and gateway":        {node.Server(), gateway.Client(meant), "", ""},
		"another than meant":      {node.Server(), gateway.Client(Identity{"node", "b"}), "bad certificate", "node b was expected, but node a listens there"},
		"two gateways":            {gateway.Server(), other.Client(Identity{"gateway", "g"}), "connections are between gateways and nodes", ""},
		"node and operator":       {node.Server(), operator.Client(meant), "", ""},
		"gateway and operator":    {gateway.Server(), operator.Client(Identity{"gateway", "g"}), "connections are between gateways and nodes", ""},
		"a client of another CA":  {node.Server(), foreign.clientWithoutLooking(), "isn't this cluster's CA", ""},
		"a server of another CA":  {foreign.Server(), node.Client(Identity{"gateway", "g"}), "bad certificate", "isn't this cluster's CA"},
		"a clock far ahead":       {node.Server(), late.Client(meant), "bad certificate", "the certificate of node a expired"},
		"a client without any":    {node.Server(), &tls.Config{InsecureSkipVerify: true}, "didn't provide a certificate", ""},
		"an older version of TLS": {node.Server(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}, "unsupported versions", "protocol version"},
	} {
		atServer, atClient := shake(t, c.server, c.client)
		if !says(atServer, c.serverSays) || !says(atClient, c.clientSays) {
			t.Errorf("%s: the server said %v, the client %v", what, atServer, atClient)
		}
	}
}

// clientWithoutLooking takes any server.
func (s *Set) clientWithoutLooking() *tls.Config {
	c := s.Client(Identity{})
	c.VerifyConnection = nil
	return c
}

func says(err error, text string) bool {
	if text == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), text)
}

func TestChangedFilesHoldFromTheNextConnectionOn(t *testing.T) {
	dir := t.TempDir()
	all := made(t, dir, time.Now(), "node/a", "gateway/g")
	var told []error
	node := opened(t, all[0], "node/a", func(err error) { told = append(told, err) })
	gateway := opened(t, all[1], "gateway/g", nil)
	meet := func() error {
		atServer, atClient := shake(t, node.Server(), gateway.Client(Identity{"node", "a"}))
		return errors.Join(atServer, atClient)
	}
	before := node.last.own.Leaf.SerialNumber
	made(t, dir, time.Now(), "node/a") // renewed
	if err := meet(); err != nil || node.last.own.Leaf.SerialNumber.Cmp(before) == 0 || len(told) != 1 || told[0] != nil {
		t.Errorf("renewed: %v, told %v", err, told)
	}
	if err := os.WriteFile(all[0].Cert, []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := meet(); err != nil || len(told) != 2 || told[1] == nil {
		t.Errorf("a broken file: %v, told %v; the earlier certificate should do", err, told)
	}
	if err := meet(); err != nil || len(told) != 2 {
		t.Errorf("a broken file is told of again: %v", told)
	}
	for _, file := range []string{"ca.pem", "ca-key.pem"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	made(t, dir, time.Now(), "node/a") // by another CA, which the gateway trusts, too
	if err := meet(); err == nil {
		t.Error("the gateway's certificate is of the CA that was, and the node took it")
	}
	made(t, dir, time.Now(), "gateway/g")
	if err := meet(); err != nil {
		t.Errorf("both of the new CA: %v", err)
	}
}
