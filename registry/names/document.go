package names

import (
	"cmp"
	"net/url"
	"strings"
	"webmcphub/registry/sanitize"
)

// A document belongs to the origin that the browser reports. The address alone does not tell the origin: about:blank
// and about:srcdoc have the origin of the document that made them, which may be an iframe of another site, and a
// sandboxed document has an opaque origin in spite of its address.

// OpaqueOrigin is the origin of documents that share theirs with no other: sandboxed ones, data: and file: addresses.
// Browsers write it like this.
const OpaqueOrigin = "null"

// DocumentOrigin returns a document's origin. reported is what the browser reports; while that is "", DocumentOrigin
// takes scheme and host of the address. It returns "" if neither tells the origin: then the origin is unknown, and
// not that of the parent document.
func DocumentOrigin(reported, address string) string {
	if reported == "" {
		return originOf(address)
	}
	return cmp.Or(originOf(reported), OpaqueOrigin)
}

// Whose returns the origins by which rules judge a document: its own, or [OpaqueOrigin] if it is opaque or unknown. A
// sandbox takes a document's origin away, and a page that is denied can ask for a sandbox, so the origin of the
// address then counts, too. reported and address are as in [DocumentOrigin].
func Whose(reported, address string) []string {
	if o := DocumentOrigin(reported, address); o != "" && o != OpaqueOrigin {
		return []string{o}
	}
	if o := originOf(address); o != "" {
		return []string{OpaqueOrigin, o}
	}
	return []string{OpaqueOrigin}
}

// SiteOrigin returns the origin of the site to which a document belongs: the document's own or, if that is opaque or
// unknown, that of its address. It returns [OpaqueOrigin] if neither tells it. reported and address are as in
// [DocumentOrigin].
func SiteOrigin(reported, address string) string {
	whose := Whose(reported, address)
	return whose[len(whose)-1]
}

// Shown returns a document's address as an agent may read it, in at most most bytes. If the rules keep the document
// out, Shown returns only the origin, because the rest may hold secrets such as tokens. reported is as in
// [DocumentOrigin].
func (o *Origins) Shown(reported, address string, most int) string {
	return o.Address(reported, address).Shown(most)
}

// Address is a document's address as an agent may read it; the zero value is none.
type Address struct {
	text string // as the page has it: not sanitized
	kept bool
}

// Address returns the address of a document; reported is as in [DocumentOrigin].
func (o *Origins) Address(reported, address string) Address {
	if address == "" || address == "about:blank" || o.DocumentRefusal(reported, address, true) == "" {
		return Address{text: address}
	}
	return OriginOnly(address)
}

// OriginOnly returns an address of which agents may read only the origin, whatever the rules for sites permit.
func OriginOnly(address string) Address {
	return Address{cmp.Or(originOf(address), "an address without an origin"), true}
}

// Shown returns the address in at most most bytes; only its origin if the rules keep the document out.
func (a Address) Shown(most int) string { return sanitize.Text(a.text, most) }

// KeptOut reports whether the rules keep the document out.
func (a Address) KeptOut() bool { return a.kept }

// originOf returns scheme and host of a web address, or "" if it has none.
func originOf(address string) string {
	u := authority(address)
	if u == nil {
		return ""
	}
	return sanitize.Text(u.Scheme+"://"+u.Host, 300)
}

// Foreign returns a text for people that names a document's origin if the page has another one, else "". main says
// that the document is the page's main document. Opaque and unknown origins equal no other.
func Foreign(origin, page string, main bool) string {
	switch {
	case origin == page && (main || origin != OpaqueOrigin && origin != ""):
		return ""
	case origin == "":
		return "an unknown origin"
	case origin == OpaqueOrigin:
		return "an opaque origin"
	}
	return origin
}

// ExtractDomain returns the {domain} of a tool's name: the sanitized hostname. For localhost and its addresses it is
// localhost_{port}, with 80 for a default port. It is "unknown" if there is no hostname (about:blank, file:, not a
// URL).
func ExtractDomain(pageURL string) string {
	// Only the part before the path is parsed: browsers accept paths, queries and fragments that Go's parser refuses,
	// such as /100%.
	if scheme, rest, ok := strings.Cut(pageURL, "://"); ok {
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			pageURL = scheme + "://" + rest[:end]
		}
	}
	u, err := url.Parse(pageURL)
	if err != nil || u.Scheme == "" || u.Hostname() == "" {
		return "unknown"
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]" // as in JavaScript's URL.hostname
	}
	if host == "localhost" || host == "127.0.0.1" || host == "[::1]" {
		port := u.Port()
		if port == "" || port == "443" && u.Scheme == "https" {
			port = "80"
		}
		return "localhost_" + Sanitize(port)
	}
	return Sanitize(host)
}

// DisplayHost returns the host of a page as people read it: github.com, or localhost:3000 for this computer, with 80
// if the address has no port. It is "unknown" if there is no host.
func DisplayHost(pageURL string) string {
	domain := ExtractDomain(pageURL)
	u := authority(pageURL)
	if domain == "unknown" || u == nil {
		return "unknown"
	}
	host := strings.ToLower(u.Hostname())
	if thisComputer(host) {
		return "localhost:" + strings.TrimPrefix(domain, "localhost_")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return sanitize.Text(host, 253)
}

// PageHost returns the same as DisplayHost, but uses the document's origin if its address has no host.
func PageHost(pageURL, origin string) string {
	if authority(pageURL) == nil && origin != "" {
		return DisplayHost(origin)
	}
	return DisplayHost(pageURL)
}

// thisComputer reports whether a host is one that names call localhost.
func thisComputer(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// HasHost reports whether an address tells which origin a document has. Other addresses, such as about:blank, don't.
func HasHost(address string) bool { return authority(address) != nil }

// authority returns an address up to its path, or nil if it has no host. A blob: address belongs to the origin that
// made it.
func authority(address string) *url.URL {
	scheme, rest, ok := strings.Cut(strings.TrimPrefix(address, "blob:"), "://")
	if !ok {
		return nil
	}
	// Only the part before the path is parsed, as in ExtractDomain. Browsers treat '\' as '/'.
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return u
}
