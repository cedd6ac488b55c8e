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

// maxAddress is the longest address in bytes that a tool may go to. Chrome's own limit is 2 MB, but no honest link is
// that long.
const maxAddress = 32 << 10

// CheckAddress returns the address that a tool goes to, made from the one that the agent gave. Host and port are
// written as browsers write them. The scheme must be http or https, or the address about:blank. Other schemes don't
// lead to web pages with tools, but to the user's files (file:), to the browser's own pages (chrome:), or to code
// (javascript:, data:). ascii returns the xn-- form of a host with non-ASCII letters. The error's text is for the
// agent.
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
	// Only the part before the path is parsed, see ExtractDomain.
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

// browserHost returns a host as browsers write it: non-ASCII letters in their xn-- form, and a number as the IP
// address that it stands for, so that rules for that host apply. It returns "" if browsers don't accept the host.
func browserHost(host string, ascii func(string) (string, error)) string {
	if strings.Contains(host, ":") { // an IPv6 address, without its brackets
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

// numberIn reads a part of an IPv4 address as browsers do: decimal, hexadecimal with 0x, or octal with 0.
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

// startsWithDigit distinguishes localhost:3000, which lacks its scheme, from file:x.
func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func validPort(p string) bool {
	n, err := strconv.Atoi(p)
	return p == "" || err == nil && n <= 65535
}

// Plain reports whether a web address has its host and port written as browsers write them. The host is an ASCII name
// of letters, digits, dots, hyphens and underscores, an IPv4 address of four numbers, or an IPv6 address in brackets.
// The port has no leading zeros, and there is no user name. For other addresses a comparison of texts can't tell
// where they lead. about:blank is plain.
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
	ip, err := netip.ParseAddr(name) // browsers take the name for an IPv4 address
	return err == nil && ip.Is4()
}
