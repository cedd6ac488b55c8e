package names

import (
	"cmp"
	"net/url"
	"strings"
	"webmcphub/registry/sanitize"
)

// Whose a document is: its origin, as the browser says. An address alone does
// not tell it: about:blank and about:srcdoc have the origin of the document
// that made them, which may be an iframe of another site, and a sandboxed
// document has none in spite of its address.

// OpaqueOrigin is the origin of documents that share theirs with no other:
// sandboxed ones, data: and file: addresses. It is written as in browsers.
const OpaqueOrigin = "null"

// DocumentOrigin is a document's origin: what the browser says, or while that
// is not known (""), scheme and host of its address. It is "" if neither tells
// it: then it is not known, and not that of the document around it.
func DocumentOrigin(said, address string) string {
	if said == "" {
		return originOf(address)
	}
	return cmp.Or(originOf(said), OpaqueOrigin)
}

// Whose are the origins that a document is judged by: its own, [OpaqueOrigin] if it is opaque or not known. A
// sandbox takes a document's origin away, and whoever is denied can ask for one: then that of its address counts too.
// said and address are as in [DocumentOrigin].
func Whose(said, address string) []string {
	if o := DocumentOrigin(said, address); o != "" && o != OpaqueOrigin {
		return []string{o}
	}
	if o := originOf(address); o != "" {
		return []string{OpaqueOrigin, o}
	}
	return []string{OpaqueOrigin}
}

// Shown is the address of a document as an agent may read it, in at most some bytes: of one that
// the rules keep out only its origin, as the rest may hold secrets such as tokens. said is as in
// [DocumentOrigin].
func (o *Origins) Shown(said, address string, most int) string {
	return o.Address(said, address).Shown(most)
}

// Address is a document's address as an agent may read it; the zero value is none.
type Address struct {
	text string // as its page has it: not fit to read
	kept bool
}

// Address is that of a document; said is as in [DocumentOrigin].
func (o *Origins) Address(said, address string) Address {
	if address == "" || address == "about:blank" || o.DocumentRefusal(said, address, true) == "" {
		return Address{text: address}
	}
	return Withheld(address)
}

// Withheld is an address of which only the origin may be told, whatever the rules for sites permit.
func Withheld(address string) Address {
	return Address{cmp.Or(originOf(address), "an address without an origin"), true}
}

// Shown is the address in at most some bytes: of a document that the rules keep out only its origin.
func (a Address) Shown(most int) string { return sanitize.Text(a.text, most) }

// KeptOut says that the rules keep the document out.
func (a Address) KeptOut() bool { return a.kept }

// originOf gives scheme and host of a web address, or "" if it has none.
func originOf(address string) string {
	u := authority(address)
	if u == nil {
		return ""
	}
	return sanitize.Text(u.Scheme+"://"+u.Host, 300)
}

// Foreign gives the origin of a document where that is not its page's own, as
// people are told of it, or ""; main says that it is the page's main document.
// Origins that are opaque or not known equal no other.
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

// ExtractDomain gives the {domain} of a tool's name: the sanitized hostname,
// localhost and its addresses as localhost_{port} with 80 for a default port,
// and "unknown" where there is no hostname (about:blank, file:, not a URL).
func ExtractDomain(pageURL string) string {
	// Only what precedes the path is parsed: browsers take paths, queries and
	// fragments that Go's parser refuses, such as /100%.
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

// DisplayHost is the host of a page as people read it: github.com, or
// localhost:3000 for this computer, with 80 where the address names no port;
// "unknown" where there is no host.
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

// PageHost is DisplayHost, by the document's origin where its address has no
// host.
func PageHost(pageURL, said string) string {
	if authority(pageURL) == nil && said != "" {
		return DisplayHost(said)
	}
	return DisplayHost(pageURL)
}

// thisComputer says whether a host is what names call localhost.
func thisComputer(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// HasHost says whether an address tells whose a document is: others may be
// anybody's, such as about:blank.
func HasHost(address string) bool { return authority(address) != nil }

// authority is an address up to its path, or nil if it has no host. An address
// of a blob: is that of whoever made it.
func authority(address string) *url.URL {
	scheme, rest, ok := strings.Cut(strings.TrimPrefix(address, "blob:"), "://")
	if !ok {
		return nil
	}
	// Only what precedes the path is parsed, as in ExtractDomain. Browsers take
	// '\' for '/'.
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return u
}
