package names

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"webmcphub/registry/sanitize"
)

// Origins says which origins' tools are listed and can be called. The zero value permits all, and so does nil. It is
// immutable.
type Origins struct {
	allow, deny []OriginPattern
	own         Own // kept out whatever is allowed
	narrowed    bool

	extensions []string // ids of extensions whose pages are kept out whatever is allowed
}

// refusedOwn is the reason why nothing of the hub's own page is listed.
const refusedOwn = "the hub's own page is for its user, not for agents"

// OriginPattern matches origins, like one --allow-origin or --deny-origin. It is immutable; the zero value matches
// every origin that has a host.
type OriginPattern struct {
	scheme string // "" is any
	host   string // "" is any; ".example.com" is any subdomain of example.com
	any    bool   // "*": all, also documents without a host
	port   string // "" is any; "default" is the scheme's
}

// These are the limits of [ParseOrigins]. The hub sends the rules to the browser's extension, and puts them into
// scripts in every page.
const (
	maxOriginPatterns    = 1000 // in each list
	maxOriginPatternText = 300  // bytes
)

// ParseOrigins reads patterns of the form scheme://host:port. "*" stands for any scheme or any host, and "*." for all
// subdomains of a host. The port "*" is any port; without a port the scheme's default port is meant. The pattern "*"
// alone matches everything, including documents without an origin, such as data: URLs. Hosts are written as in
// addresses, with non-ASCII letters in their xn-- form. Deny takes precedence. If allow is empty, everything is
// allowed that is not denied.
func ParseOrigins(allow, deny []string) (*Origins, error) {
	var o Origins
	for _, list := range []struct {
		to   *[]OriginPattern
		from []string
	}{{&o.allow, allow}, {&o.deny, deny}} {
		if len(list.from) > maxOriginPatterns {
			return nil, fmt.Errorf("%d origins are too many; name at most %d, by patterns such as "+
				"https://*.shop.example", len(list.from), maxOriginPatterns)
		}
		for _, text := range list.from {
			p, err := ParseOriginPattern(text)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, p)
		}
	}
	return &o, nil
}

// ParseOriginPattern reads one pattern in the form of [ParseOrigins].
func ParseOriginPattern(text string) (p OriginPattern, err error) {
	bad := func(why string) (OriginPattern, error) {
		return p, fmt.Errorf("%q is no origin: %s; write it like https://shop.example, https://*.shop.example, "+
			"http://localhost:* or *", text, why)
	}
	if len(text) > maxOriginPatternText {
		text = text[:20] + "…"
		return bad("it is too long")
	}
	if text == "*" {
		return OriginPattern{any: true}, nil
	}
	scheme, rest, ok := strings.Cut(strings.ToLower(text), "://")
	switch {
	case !ok || scheme == "":
		return bad("it has no scheme")
	case strings.Contains(scheme, "*") && scheme != "*" || strings.ContainsAny(scheme, "/:@"):
		return bad("* stands for a whole scheme")
	}
	if scheme != "*" {
		p.scheme = scheme
	}
	rest = strings.TrimSuffix(rest, "/")
	if strings.ContainsAny(rest, "/?#\\@ ") {
		return bad("it must end with the host or the port")
	}
	host, port := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, ']') {
		host, port = rest[:i], rest[i+1:]
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "*" {
			return bad("its port is no number")
		}
	}
	switch port {
	case "*":
	case "":
		p.port = "default"
	default:
		p.port = port
	}
	below := strings.HasPrefix(host, "*.")
	name := strings.TrimSuffix(strings.TrimPrefix(host, "*."), ".")
	switch {
	case host == "*":
		return p, nil
	case name == "" || strings.Contains(name, "*"):
		return bad("* stands for a whole host, or for what is below one")
	case strings.ContainsFunc(name, func(r rune) bool { return r > 0x7E }):
		return bad("its host must be in the xn-- form")
	case below:
		p.host = "." + name
	default:
		p.host = canonicalHost(name)
	}
	return p, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}

func canonicalHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String()
	}
	return host
}

// Origin is an address's scheme, host and port; the zero value is one that nothing else shares.
type Origin struct{ Scheme, Host, Port string }

// String returns the origin as browsers write it.
func (o Origin) String() string {
	host := bracketed(o.Host)
	if o.Port != defaultPorts[o.Scheme] {
		host += ":" + o.Port
	}
	return o.Scheme + "://" + host
}

// ParseAddress reads the address of a document, or an origin.
func ParseAddress(address string) Origin {
	u := authority(address)
	if u == nil {
		return Origin{}
	}
	o := Origin{strings.ToLower(u.Scheme), canonicalHost(u.Hostname()), u.Port()}
	if o.Port == "" {
		o.Port = defaultPorts[o.Scheme]
	}
	return o
}

// Host returns the host of the pattern; "" is any. With below, the pattern matches the subdomains of that host.
func (p OriginPattern) Host() (host string, below bool) {
	host, below = strings.CutPrefix(p.host, ".")
	return host, below
}

// Matches reports whether the pattern matches an origin. Only the pattern "*" matches the zero value, which stands
// for opaque and unknown origins.
func (p OriginPattern) Matches(o Origin) bool {
	if p.any {
		return true
	}
	below, isBelow := strings.CutPrefix(p.host, ".")
	switch {
	case o == Origin{}:
		return false
	case p.scheme != "" && p.scheme != o.Scheme:
		return false
	case p.port == "default" && o.Port != defaultPorts[o.Scheme]:
		return false
	case p.port != "" && p.port != "default" && p.port != o.Port:
		return false
	case isBelow:
		return strings.HasSuffix(o.Host, "."+below)
	}
	return p.host == "" || p.host == o.Host
}

// Refusal says why nothing of a document may be listed, or returns "". reported and address are as in
// [DocumentOrigin]. It may be called from any goroutine.
func (o *Origins) Refusal(reported, address string) string {
	if o.IsOwn(reported, address) {
		return refusedOwn
	}
	if o == nil || len(o.allow)+len(o.deny) == 0 {
		return ""
	}
	at, name := ParseAddress(cmp.Or(reported, address)), DocumentOrigin(reported, address)
	from := at
	if at == (Origin{}) {
		// A sandbox takes the origin away, and a page that is denied can ask for a sandbox.
		from = ParseAddress(address)
		name = "a document without an origin (" + sanitize.Text(address, 100) + ")"
	}
	for _, p := range o.deny {
		if p.Matches(at) || p.Matches(from) {
			return name + " is denied (--deny-origin" + o.source("deny") + ")"
		}
	}
	for _, p := range o.allow {
		if p.Matches(at) {
			return ""
		}
	}
	if len(o.allow) > 0 {
		return name + " is not allowed (--allow-origin" + o.source("allow") + ")"
	}
	return ""
}

// source says where a rule may come from besides a flag.
func (o *Origins) source(list string) string {
	if !o.narrowed {
		return ""
	}
	return ", or " + list + " of its browser in --browsers"
}

// DocumentRefusal returns the same as Refusal, for a document of a page that may offer tools. main says that it is the
// page's main document. It also refuses a document without a host whose origin the browser doesn't report, and a frame
// with an opaque origin: their content may come from any origin, for example from a denied parent frame.
func (o *Origins) DocumentRefusal(reported, address string, main bool) string {
	if o.IsOwn(reported, address) {
		return refusedOwn
	}
	if o == nil || len(o.allow)+len(o.deny) == 0 {
		return ""
	}
	known := authority(address) != nil || reported != "" && (main || DocumentOrigin(reported, address) != OpaqueOrigin)
	if why := o.Refusal(reported, address); why != "" || known || o.permitsAll() {
		return why
	}
	return "a frame whose origin is not known (" + sanitize.Text(address, 100) + ") is left out while there are " +
		"rules for sites (--allow-origin, --deny-origin, --browsers)"
}

// PermitsAll reports whether the rules keep nothing out.
func (o *Origins) PermitsAll() bool {
	return o == nil || !o.HasOwn() && len(o.extensions) == 0 && len(o.deny) == 0 && (len(o.allow) == 0 || o.permitsAll())
}

func (o *Origins) permitsAll() bool {
	return slices.ContainsFunc(o.allow, func(p OriginPattern) bool { return p.any })
}

// Permits reports whether documents of an origin or an address may offer tools. A nil o permits all. It may be called
// from any goroutine.
func (o *Origins) Permits(address string) bool { return o.Refusal("", address) == "" }

// ByRules says of a site, in texts for agents, that the rules don't permit it.
const ByRules = "kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers)"

// KeptOut returns an error that says why agents may not make a browser go to an address, or nil if they may. The
// caller has checked the address with [CheckAddress]. A blank page may always be opened. o may be nil. KeptOut may be
// called from any goroutine.
func (o *Origins) KeptOut(address string) error {
	switch {
	case address == "" || address == "about:blank" || o.Permits(address):
		return nil
	case o.IsOwn("", address):
		return errors.New(refusedOwn)
	}
	return fmt.Errorf("%s is %s", sanitize.Text(address, 200), ByRules)
}

// Permitting returns Permits, or nil if the rules keep nothing out.
func (o *Origins) Permitting() func(address string) bool {
	if o.PermitsAll() {
		return nil
	}
	return o.Permits
}

// PermitsOrigin returns the same as Permits, for an origin alone, without a document's address. It permits an opaque
// or unknown origin only if everything is allowed.
func (o *Origins) PermitsOrigin(origin string) bool {
	if (origin == "" || origin == OpaqueOrigin) && o != nil && len(o.allow)+len(o.deny) > 0 && !o.permitsAll() {
		return false
	}
	return o.Permits(origin)
}
