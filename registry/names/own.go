package names

import (
	"net/netip"
	"slices"
	"strings"
)

// Own is where the hub serves a page of its own to its user. No agent may see or use
// that page, whatever the rules for sites say. The zero value is nowhere. It is
// immutable.
type Own struct {
	port  string
	hosts []string // besides this computer's own names
}

// NewOwn is one at a port. hosts are the addresses by which it can be reached besides
// those that lead to this computer anyway.
func NewOwn(port string, hosts ...string) Own {
	o := Own{port: port}
	for _, h := range hosts {
		o.hosts = append(o.hosts, canonicalHost(h))
	}
	return o
}

// WithOwn are the same rules, with a page of the hub's own kept out besides. o may be nil.
func (o *Origins) WithOwn(own Own) *Origins {
	var n Origins
	if o != nil {
		n = *o
	}
	n.own = own
	return &n
}

// HasOwn says that the hub serves a page of its own.
func (o *Origins) HasOwn() bool { return o != nil && o.own.port != "" }

// IsOwn says whether a document is, or an address leads to, the hub's own page. said is
// as in [DocumentOrigin].
func (o *Origins) IsOwn(said, address string) bool {
	return o.HasOwn() && (o.own.is(ParseAddress(said)) || o.own.is(ParseAddress(address)))
}

func (o Own) is(at Origin) bool {
	return at.Port == o.port && (LeadsHere(at.Host) || slices.Contains(o.hosts, at.Host))
}

// LeadsHere says whether a host, as [ParseAddress] gives it, is this computer by its
// name or address alone: localhost and all below it, loopback addresses, and those that
// stand for every address of a computer.
func LeadsHere(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.Unmap().IsUnspecified())
}
