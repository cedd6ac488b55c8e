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

// CheckAddress gives the address that a tool goes to for what the agent gave, with its host
// and port as browsers have them:
// http, https, or about:blank. Other schemes don't lead to web pages that
// offer tools, but to the user's files (file:), to the browser's own pages
// (chrome:), or to code instead of an address (javascript:, data:). ascii
// gives the xn-- form of a host with other letters than ASCII's. The error's
// text is for the agent.
func CheckAddress(tool, given string, ascii func(host string) (string, error)) (string, error) {
	address := strings.TrimSpace(given)
	shown := sanitize.Text(address, 200)
	scheme, rest, ok := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case address == "":
		return "", fmt.Errorf("the URL is empty. Give a whole address, such as https://example.com/")
	case len(address) > maxAddress:
		return "", fmt.Errorf("the URL has %d bytes; %d are the most that %s takes", len(address), maxAddress, tool)
	case strings.ContainsFunc(address,
		func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "", fmt.Errorf("the URL has characters that no address has: %q", shown)
	case strings.EqualFold(address, "about:blank"):
		return "about:blank", nil
	case scheme != "http" && scheme != "https" && ok && isScheme(scheme) && !startsWithDigit(rest):
		return "", fmt.Errorf("%s opens http and https addresses only, not %s: — other schemes lead to this "+
			"computer's files, to the browser's own pages, or to code instead of to a web page", tool,
			sanitize.Text(scheme, 40))
	case scheme != "http" && scheme != "https":
		return "", fmt.Errorf("%q is not a whole URL. Give one with its scheme, such as https://%s", shown,
			strings.TrimLeft(shown, "/"))
	}
	// Only what precedes the path is parsed, see ExtractDomain.
	authority, found := strings.CutPrefix(rest, "//")
	path := ""
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority, path = authority[:end], authority[end:]
	}
	u, err := url.Parse(scheme + "://" + authority)
	host := ""
	if err == nil && found {
		host = browserHost(u.Hostname(), ascii)
	}
	if host == "" || !validPort(u.Port()) {
		return "", fmt.Errorf("%q is not a valid URL: what stands between // and the path must be a host, such as "+
			"example.com or localhost:3000", shown)
	}
	if port, _ := strconv.Atoi(u.Port()); host != u.Hostname() || u.Port() != "" && strconv.Itoa(port) != u.Port() {
		user, _, has := strings.Cut(authority, "@")
		if has {
			user += "@"
		} else {
			user = ""
		}
		if u.Port() != "" {
			host += ":" + strconv.Itoa(port)
		}
		address = address[:len(scheme)] + "://" + user + host + path
	}
	return address, nil
}

// browserHost is a host as browsers have it: other letters than ASCII's in their xn-- form,
// and a number as the address that it stands for, so that whoever has rules for it finds it.
// It is "" if browsers take it for none.
func browserHost(host string, ascii func(string) (string, error)) string {
	if strings.Contains(host, ":") { // in brackets
		return "[" + host + "]"
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		name, err := ascii(host)
		if err != nil {
			return ""
		}
		host = name
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if _, number := numberIn(labels[len(labels)-1]); !number && !allDigits(labels[len(labels)-1]) {
		return host
	}
	if len(labels) > 4 {
		return ""
	}
	var address uint64
	for i, label := range labels {
		n, is := numberIn(label)
		room := 8
		if i == len(labels)-1 {
			room = 8 * (5 - len(labels))
		}
		if !is || n >= 1<<room {
			return ""
		}
		address = address<<room | n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8),
		byte(address)}).String()
}

// numberIn reads a part of an IPv4 address as browsers do: decimal, 0x and hexadecimal, or 0
// and octal.
func numberIn(label string) (n uint64, is bool) {
	base := 10
	switch lower := strings.ToLower(label); {
	case strings.HasPrefix(lower, "0x"):
		if base, label = 16, label[2:]; label == "" {
			return 0, true
		}
	case len(label) > 1 && label[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(label, base, 33)
	return n, err == nil && !strings.ContainsAny(label, "+_")
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
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
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' ||
			r == '_')
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
