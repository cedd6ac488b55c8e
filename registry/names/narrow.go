package names

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Narrowed returns rules that permit what both o and by permit, for a part of what o applies to, such as one of
// several browsers. o may be nil. Narrowed returns an error if nothing is left to permit.
func (o *Origins) Narrowed(by *Origins) (*Origins, error) {
	n := Origins{narrowed: true}
	if o != nil {
		n.allow, n.deny, n.own, n.extensions = o.allow, o.deny, o.own, o.extensions
	}
	n.deny = slices.Concat(n.deny, by.deny)
	switch {
	case len(n.allow) == 0:
		n.allow = by.allow
	case len(by.allow) > 0:
		n.allow = nil
		for _, p := range o.allow {
			for _, q := range by.allow {
				for _, r := range p.and(q) {
					if !slices.Contains(n.allow, r) {
						n.allow = append(n.allow, r)
					}
				}
			}
		}
		if len(n.allow) == 0 {
			return nil, errors.New("allow has nothing in common with --allow-origin, so no site would be left; " +
				"--allow-origin holds for all browsers")
		}
	}
	if len(n.allow) > maxOriginPatterns || len(n.deny) > maxOriginPatterns {
		return nil, fmt.Errorf("together with --allow-origin and --deny-origin these are too many origins; there may "+
			"be %d of each", maxOriginPatterns)
	}
	return &n, nil
}

// and returns patterns for the origins that both p and q match.
func (p OriginPattern) and(q OriginPattern) []OriginPattern {
	switch {
	case p.any:
		return []OriginPattern{q}
	case q.any:
		return []OriginPattern{p}
	}
	scheme, ok := either(p.scheme, q.scheme)
	if !ok {
		return nil
	}
	host, ok := either(p.host, q.host)
	if !ok {
		switch { // one may be a subdomain of the other
		case strings.HasPrefix(p.host, ".") && strings.HasSuffix(q.host, p.host):
			host = q.host
		case strings.HasPrefix(q.host, ".") && strings.HasSuffix(p.host, q.host):
			host = p.host
		default:
			return nil
		}
	}
	r := OriginPattern{scheme: scheme, host: host}
	if r.port, ok = either(p.port, q.port); ok {
		return []OriginPattern{r}
	}
	if p.port != "default" && q.port != "default" {
		return nil
	}
	// One port is a number. It equals the default port of some schemes.
	if r.port = p.port; p.port == "default" {
		r.port = q.port
	}
	var all []OriginPattern
	for _, s := range []string{"http", "https", "ws", "wss"} {
		if defaultPorts[s] == r.port && (r.scheme == "" || r.scheme == s) {
			all = append(all, OriginPattern{scheme: s, host: host, port: r.port})
		}
	}
	return all
}

// either returns the value that a, b or both give. It is not ok if they give different values.
func either(a, b string) (string, bool) {
	if a == "" || a == b {
		return b, true
	}
	return a, b == ""
}
