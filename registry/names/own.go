package names

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Own says where the hub serves a page of its own to its user. No agent may see or use that page, whatever the rules
// for sites say. The zero value means that there is none. It is immutable.
type Own struct {
	port  string
	hosts []string // besides the names of this computer itself
}

// NewOwn returns an Own at a port. hosts are the addresses by which the page can be reached, besides those that
// always lead to this computer.
func NewOwn(port string, hosts ...string) Own {
	o := Own{port: port}
	for _, h := range hosts {
		o.hosts = append(o.hosts, canonicalHost(h))
	}
	return o
}

// WithOwn returns the same rules, but they also keep out the hub's own page. o may be nil.
func (o *Origins) WithOwn(own Own) *Origins {
	var n Origins
	if o != nil {
		n = *o
	}
	n.own = own
	return &n
}

// WithExtensions returns the same rules, but they also keep out the pages of the extensions with these ids, in which a
// person pauses agents and chooses what they may do. o may be nil.
func (o *Origins) WithExtensions(ids ...string) *Origins {
	if len(ids) == 0 {
		return o
	}
	var n Origins
	if o != nil {
		n = *o
	}
	n.extensions = ids
	return &n
}

// isExtension reports whether an address leads to a page of these extensions. o may be nil.
func (o *Origins) isExtension(address string) bool {
	return o != nil && len(o.extensions) > 0 && strings.HasPrefix(address, "chrome-extension:") &&
		slices.Contains(o.extensions, ParseAddress(address).Host)
}

// LivePath begins the path of every hub's own page. The hub keeps agents from all such pages on this computer: also
// those of other hubs, and that of a hub that has ended, whose tab still shows what clients did. A page that uses such
// a path keeps itself from agents, and gains nothing.
const LivePath = "/webmcp-hub-live-"

// extensionPages begins the addresses of the pages of the hub's extension. There a person pauses agents and chooses
// what they may do, so the hub keeps agents from these pages, too.
const extensionPages = "chrome-extension://hcgmadpoiniangaogdpbdfdboofoifng/"

// IsLive reports whether an address leads to the own page of any hub, or to a page of the hub's extension, whatever the
// rules are.
func IsLive(address string) bool {
	return strings.HasPrefix(address, extensionPages) || strings.Contains(address, LivePath) &&
		liveAddress.MatchString(address) && LeadsHere(ParseAddress(address).Host)
}

var liveAddress = regexp.MustCompile(`^\w+://[^/?#]*` + LivePath)

// HasOwn reports whether the hub serves a page of its own.
func (o *Origins) HasOwn() bool { return o != nil && o.own.port != "" }

// Own returns the hub's own page that the rules keep out, in the form that [NewOwn] takes; port is "" if there is
// none. o may be nil.
func (o *Origins) Own() (port string, hosts []string) {
	if o == nil {
		return "", nil
	}
	return o.own.port, o.own.hosts
}

// IsOwn reports whether a document is, or an address leads to, the hub's own page, that of another hub on this
// computer, or a page of the hub's extension. reported is as in [DocumentOrigin]; o may be nil.
func (o *Origins) IsOwn(reported, address string) bool {
	return IsLive(address) || o.isExtension(reported) || o.isExtension(address) ||
		o.HasOwn() && (o.own.is(ParseAddress(reported)) || o.own.is(ParseAddress(address)))
}

func (o Own) is(at Origin) bool {
	return at.Port == o.port && (LeadsHere(at.Host) || slices.Contains(o.hosts, at.Host))
}

// LeadsHere reports whether a host, as [ParseAddress] returns it, is this computer by its name or address alone:
// localhost and its subdomains, loopback addresses, and the unspecified addresses.
func LeadsHere(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.Unmap().IsUnspecified())
}
