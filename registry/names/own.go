package names

import (
	"net/netip"
	"regexp"
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

// LivePath begins the path of every hub's own page. Agents are kept from all of them on
// this computer: another hub's, and that of one that has ended, whose tab still shows what
// clients did. A page that calls itself so keeps itself from agents, and gains nothing.
const LivePath = "/webmcp-hub-live-"

// IsLive says whether an address leads to some hub's own page, whichever rules there are.
func IsLive(address string) bool {
	return strings.Contains(address, LivePath) && liveAddress.MatchString(address) &&
		LeadsHere(ParseAddress(address).Host)
}

var liveAddress = regexp.MustCompile(`^\w+://[^/?#]*` + LivePath)

// HasOwn says that the hub serves a page of its own.
func (o *Origins) HasOwn() bool { return o != nil && o.own.port != "" }

// Own is the page that the rules keep out besides, as [NewOwn] takes it; no port is none. o may be nil.
func (o *Origins) Own() (port string, hosts []string) {
	if o == nil {
		return "", nil
	}
	return o.own.port, o.own.hosts
}

// IsOwn says whether a document is, or an address leads to, the hub's own page, or another
// hub's on this computer. said is as in [DocumentOrigin]; o may be nil.
func (o *Origins) IsOwn(said, address string) bool {
	return IsLive(address) || o.HasOwn() && (o.own.is(ParseAddress(said)) || o.own.is(ParseAddress(address)))
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
