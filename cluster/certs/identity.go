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

// Parse parses what ID returns: node/NAME, gateway/NAME or operator/NAME.
func Parse(id string) (Identity, error) {
	role, name, _ := strings.Cut(id, "/")
	i := Identity{role, name}
	return i, i.Check()
}

// ID returns the identity as node/NAME, gateway/NAME or operator/NAME.
func (i Identity) ID() string { return i.Role + "/" + i.Name }

// String returns the identity as texts show it, such as "node NAME".
func (i Identity) String() string { return i.Role + " " + i.Name }

// Check returns an error if the role is unknown or the name is malformed.
func (i Identity) Check() error {
	if i.Role != "node" && i.Role != "gateway" && i.Role != "operator" {
		return fmt.Errorf("%q is not a role: use node/NAME, gateway/NAME or operator/NAME", i.Role)
	}
	return names.Check(i.Role, i.Name)
}

// mayConnect returns an error unless exactly one of the two processes is a node.
func (i Identity) mayConnect(other Identity) error {
	if (i.Role == "node") == (other.Role == "node") {
		return fmt.Errorf("the certificate is that of %s, but this is %s: connections are between gateways and "+
			"nodes, or operators and nodes", other, i)
	}
	return nil
}

func (i Identity) uri() *url.URL { return &url.URL{Scheme: scheme, Host: i.Role, Path: "/" + i.Name} }

// Of returns the identity that a certificate names. It checks no signature.
func Of(c *x509.Certificate) (Identity, error) {
	var ours []Identity
	for _, u := range c.URIs {
		if u.Scheme != scheme {
			continue
		}
		i, err := Parse(u.Host + u.Path)
		if err != nil {
			return Identity{}, fmt.Errorf("the certificate's URI %s names no process: %w", u, err)
		}
		ours = append(ours, i)
	}
	if len(ours) != 1 {
		return Identity{}, fmt.Errorf("the certificate of %q names %d processes, but must name one: it needs the URI "+
			"%s://node/NAME, %[3]s://gateway/NAME or %[3]s://operator/NAME", c.Subject, len(ours), scheme)
	}
	return ours[0], nil
}
