package registry

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

// originOf gives scheme and host of a web address, or "" if it has none.
func originOf(address string) string {
	u := authority(address)
	if u == nil {
		return ""
	}
	return sanitize.Text(u.Scheme+"://"+u.Host, 300)
}

// originOf is the origin of the document that a tool is of.
func (p *page) originOf(t *PageTool) string {
	if t.Origin == "" && t.Doc == p.gen && authority(t.FrameURL) == nil {
		return p.origin
	}
	return DocumentOrigin(t.Origin, t.FrameURL)
}

// foreign gives the origin of a tool's document where that is not the page's
// own, as people are told of it, or "".
func (p *page) foreign(t *PageTool) string {
	return foreignOrigin(p.originOf(t), p.origin, t.Doc == p.gen)
}

// foreignOrigin is foreign for anything that a document offers; main says that
// it is the page's main document. Origins that are opaque or not known equal no
// other.
func foreignOrigin(origin, page string, main bool) string {
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

// displayHost is DisplayHost, by the document's origin where its address has no
// host.
func displayHost(pageURL, said string) string {
	if authority(pageURL) == nil && said != "" {
		return DisplayHost(said)
	}
	return DisplayHost(pageURL)
}

// thisComputer says whether a host is what names call localhost.
func thisComputer(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

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
