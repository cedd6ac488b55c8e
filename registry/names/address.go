package names

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"webmcphub/registry/sanitize"
)

// maxAddress is the longest address in bytes that tools go to. Chrome's own
// limit is 2 MB, but no honest link is that long.
const maxAddress = 32 << 10

// CheckAddress gives the address that a tool goes to for what the agent gave:
// http, https, or about:blank. Other schemes don't lead to web pages that
// offer tools, but to the user's files (file:), to the browser's own pages
// (chrome:), or to code instead of an address (javascript:, data:). The
// error's text is for the agent.
func CheckAddress(tool, given string) (string, error) {
	address := strings.TrimSpace(given)
	shown := sanitize.Text(address, 200)
	scheme, rest, ok := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case address == "":
		return "", fmt.Errorf("the URL is empty. Give a whole address, such as https://example.com/")
	case len(address) > maxAddress:
		return "", fmt.Errorf("the URL has %d bytes; %d are the most that %s takes", len(address), maxAddress, tool)
	case strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "", fmt.Errorf("the URL has characters that no address has: %q", shown)
	case strings.EqualFold(address, "about:blank"):
		return "about:blank", nil
	case scheme != "http" && scheme != "https" && ok && isScheme(scheme) && !startsWithDigit(rest):
		return "", fmt.Errorf("%s opens http and https addresses only, not %s: — other schemes lead to this computer's files, to the browser's own pages, or to code instead of to a web page", tool, sanitize.Text(scheme, 40))
	case scheme != "http" && scheme != "https":
		return "", fmt.Errorf("%q is not a whole URL. Give one with its scheme, such as https://%s", shown, strings.TrimLeft(shown, "/"))
	}
	// Only what precedes the path is parsed, see ExtractDomain.
	authority, found := strings.CutPrefix(rest, "//")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	u, err := url.Parse(scheme + "://" + authority)
	if !found || err != nil || u.Hostname() == "" || !validPort(u.Port()) {
		return "", fmt.Errorf("%q is not a valid URL: what stands between // and the path must be a host, such as example.com or localhost:3000", shown)
	}
	return address, nil
}

func isScheme(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9') && !strings.ContainsRune("+-.", r)) {
			return false
		}
	}
	return s != ""
}

// startsWithDigit tells localhost:3000, which lacks its scheme, from file:x.
func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func validPort(p string) bool {
	n, err := strconv.Atoi(p)
	return p == "" || err == nil && n <= 65535
}

// Plain says whether a web address is written as browsers have it, as far as its host goes:
// one of letters, digits, points, hyphens and underscores of ASCII, an IPv4 address as four
// numbers, an IPv6 address in brackets; a port without zeros before it, and no name of a user.
// Of others nobody can tell by comparing texts where they lead to. about:blank is plain.
func Plain(address string) bool {
	if address == "about:blank" {
		return true
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return false
	}
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		if rest[end] == '\\' {
			return false
		}
		rest = rest[:end]
	}
	host, port := rest, ""
	if end := strings.LastIndexByte(rest, ':'); end >= 0 && !strings.HasSuffix(rest, "]") {
		host, port = rest[:end], rest[end+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
			return false
		}
	}
	return plainHost(host)
}

func plainHost(host string) bool {
	if in, is := strings.CutPrefix(host, "["); is {
		in, closed := strings.CutSuffix(in, "]")
		ip, err := netip.ParseAddr(in)
		return closed && err == nil && ip.Is6() && ip.Zone() == ""
	}
	if host == "" || strings.ContainsFunc(host, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_')
	}) {
		return false
	}
	name := strings.TrimSuffix(host, ".")
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	hex, isHex := strings.CutPrefix(last, "0x")
	if strings.Trim(last, "0123456789") != "" && !(isHex && strings.Trim(hex, "0123456789abcdef") == "") {
		return true
	}
	ip, err := netip.ParseAddr(name) // a browser takes it for an IPv4 address
	return err == nil && ip.Is4()
}
