package certs

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"

	"webmcphub/cluster/names"
)

// Identity is who a process of the cluster is.
type Identity struct {
	Role string // "node" or "gateway"
	Name string // [a-z0-9-]{1,32}
}

const scheme = "webmcp-hub"

// Parse reads an identity as ID writes it: node/NAME or gateway/NAME.
func Parse(id string) (Identity, error) {
	role, name, _ := strings.Cut(id, "/")
	i := Identity{role, name}
	return i, i.Check()
}

// ID is the identity as node/NAME or gateway/NAME.
func (i Identity) ID() string { return i.Role + "/" + i.Name }

// String is for people.
func (i Identity) String() string { return i.Role + " " + i.Name }

// Check says what is wrong with an identity.
func (i Identity) Check() error {
	if i.Role != "node" && i.Role != "gateway" {
		return fmt.Errorf("%q is nobody's role: give node/NAME or gateway/NAME", i.Role)
	}
	return names.Check(i.Role, i.Name)
}

func (i Identity) uri() *url.URL { return &url.URL{Scheme: scheme, Host: i.Role, Path: "/" + i.Name} }

// Of reads whose certificate it is. It checks no signature.
func Of(c *x509.Certificate) (Identity, error) {
	var ours []Identity
	for _, u := range c.URIs {
		if u.Scheme != scheme {
			continue
		}
		i, err := Parse(u.Host + u.Path)
		if err != nil {
			return Identity{}, fmt.Errorf("the certificate's URI %s names nobody: %w", u, err)
		}
		ours = append(ours, i)
	}
	if len(ours) != 1 {
		return Identity{}, fmt.Errorf("the certificate of %q names %d gateways and nodes, and must name one: it "+
			"needs the URI %s://node/NAME or %s://gateway/NAME", c.Subject, len(ours), scheme, scheme)
	}
	return ours[0], nil
}
