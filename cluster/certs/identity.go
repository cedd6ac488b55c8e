package certs

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"

	"webmcphub/cluster/names"
)

// Identity is the role and the name of a process of the cluster.
type Identity struct {
	Role string // "node", "gateway" or "operator"
	Name string // [a-z0-9-]{1,32}
}

const scheme = "webmcp-hub"

// Parse reads an identity as ID writes it: node/NAME, gateway/NAME or operator/NAME.
func Parse(id string) (Identity, error) {
	role, name, _ := strings.Cut(id, "/")
	i := Identity{role, name}
	return i, i.Check()
}

// ID returns the identity as node/NAME, gateway/NAME or operator/NAME.
func (i Identity) ID() string { return i.Role + "/" + i.Name }

// String returns the identity as people read it.
func (i Identity) String() string { return i.Role + " " + i.Name }

// Check says what is wrong with an identity.
func (i Identity) Check() error {
	if i.Role != "node" && i.Role != "gateway" && i.Role != "operator" {
		return fmt.Errorf("%q is nobody's role: give node/NAME, gateway/NAME or operator/NAME", i.Role)
	}
	return names.Check(i.Role, i.Name)
}

// mayMeet says why two processes don't talk with each other. One of the two is always a node.
func (i Identity) mayMeet(other Identity) error {
	if (i.Role == "node") == (other.Role == "node") {
		return fmt.Errorf("the certificate is that of a %s, %s, and this is %s: links are between gateways and nodes, "+
			"and operators and nodes", other.Role, other, i)
	}
	return nil
}

func (i Identity) uri() *url.URL { return &url.URL{Scheme: scheme, Host: i.Role, Path: "/" + i.Name} }

// Of returns whose certificate c is. It checks no signature.
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
		return Identity{}, fmt.Errorf("the certificate of %q names %d processes, and must name one: it needs the URI "+
			"%s://node/NAME, %[3]s://gateway/NAME or %[3]s://operator/NAME", c.Subject, len(ours), scheme)
	}
	return ours[0], nil
}
