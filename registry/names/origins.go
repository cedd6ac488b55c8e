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

// Origins says of which origins tools are listed and called. The zero value
// permits all, as does nil. It is immutable.
type Origins struct {
	allow, deny []OriginPattern
	own         Own // kept out whatever is allowed
	narrowed    bool
}

// refusedOwn is why nothing of the hub's own page is listed.
const refusedOwn = "the hub's own page is for its user, not for agents"

// OriginPattern stands for origins, as one --allow-origin or --deny-origin does. It is
// immutable; the zero value stands for every origin that has a host.
type OriginPattern struct {
	scheme string // "" is any
	host   string // "" is any, and ".example.com" any below example.com
	any    bool   // "*": all, also what has no host
	port   string // or "default", the scheme's; "" is any
}

// What [ParseOrigins] takes. The rules are told to the browser's extension and
// are part of scripts in every page.
const (
	maxOriginPatterns    = 1000 // in each list
	maxOriginPatternText = 300  // bytes
)

// ParseOrigins reads patterns: scheme://host, with "*" for any scheme, "*." for
// all hosts below one, "*" for any host, and :port, where "*" is any and none
// is the scheme's default; or "*" for everything, also for documents without
// an origin, such as data: URLs. A host is written as in addresses: other than
// ASCII letters in their xn-- form. Deny wins. Without any allow everything is
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

// ParseOriginPattern reads one pattern as [ParseOrigins] has them.
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

// Origin is an address's scheme, host and port; the zero value is one that
// nothing else shares.
type Origin struct{ Scheme, Host, Port string }

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

// Host is the host that the pattern names, or, with below, under which it names all; ""
// is any.
func (p OriginPattern) Host() (host string, below bool) {
	host, below = strings.CutPrefix(p.host, ".")
	return host, below
}

// Matches says whether the pattern stands for an origin. Only * stands for the zero
// value, which is what opaque and unknown origins are.
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

// refusal says why nothing of a document may be listed, or is empty. said and
// address are as in [DocumentOrigin]. It may be called from any goroutine.
func (o *Origins) Refusal(said, address string) string {
	if o.IsOwn(said, address) {
		return refusedOwn
	}
	if o == nil || len(o.allow)+len(o.deny) == 0 {
		return ""
	}
	at, name := ParseAddress(cmp.Or(said, address)), DocumentOrigin(said, address)
	from := at
	if at == (Origin{}) {
		// A sandbox takes the origin away, and whoever is denied can ask for one.
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

// source says where else a rule may be from than a flag.
func (o *Origins) source(list string) string {
	if !o.narrowed {
		return ""
	}
	return ", or " + list + " of its browser in --browsers"
}

// documentRefusal is refusal for a document of a page that may offer tools; main
// says that it is the page's main one. Where nobody says whose a document without
// a host of its own is, it may be anybody's, and so may a frame's that is opaque:
// that of the frame around it, say, which is denied.
func (o *Origins) DocumentRefusal(said, address string, main bool) string {
	if o.IsOwn(said, address) {
		return refusedOwn
	}
	if o == nil || len(o.allow)+len(o.deny) == 0 {
		return ""
	}
	known := authority(address) != nil || said != "" && (main || DocumentOrigin(said, address) != OpaqueOrigin)
	if why := o.Refusal(said, address); why != "" || known || o.permitsAll() {
		return why
	}
	return "a frame whose origin is not known (" + sanitize.Text(address, 100) + ") is left out while there are " +
		"rules for sites (--allow-origin, --deny-origin, --browsers)"
}

// PermitsAll says that nothing is kept out.
func (o *Origins) PermitsAll() bool {
	return o == nil || !o.HasOwn() && len(o.deny) == 0 && (len(o.allow) == 0 || o.permitsAll())
}

func (o *Origins) permitsAll() bool {
	return slices.ContainsFunc(o.allow, func(p OriginPattern) bool { return p.any })
}

// Permits says whether documents of an origin, or of an address, may offer
// tools. Nil permits all. Any goroutine may call it.
func (o *Origins) Permits(address string) bool { return o.Refusal("", address) == "" }

// KeptOut says why nobody may have a browser go to an address, which the caller has checked ([CheckAddress]); nil
// says that one may. A blank page may always be opened. o may be nil, and any goroutine may call it.
func (o *Origins) KeptOut(address string) error {
	switch {
	case address == "" || address == "about:blank" || o.Permits(address):
		return nil
	case o.IsOwn("", address):
		return errors.New(refusedOwn)
	}
	return fmt.Errorf("%s is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers)",
		sanitize.Text(address, 200))
}

// Permitting is Permits, and nil where nothing is kept out.
func (o *Origins) Permitting() func(address string) bool {
	if o.PermitsAll() {
		return nil
	}
	return o.Permits
}

// PermitsOrigin is Permits for an origin of whose document nothing else is known:
// one that is opaque or unknown is permitted only where everything is allowed.
func (o *Origins) PermitsOrigin(origin string) bool {
	if (origin == "" || origin == OpaqueOrigin) && o != nil && len(o.allow)+len(o.deny) > 0 && !o.permitsAll() {
		return false
	}
	return o.Permits(origin)
}
