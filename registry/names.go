package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"webmcphub/registry/sanitize"
)

// DefaultMaxName is the longest tool name in bytes that every known client
// takes: the model APIs' 64 less the "mcp__webmcp__" that clients put before
// it when the server is configured under the name "webmcp".
const DefaultMaxName = 64 - len("mcp__webmcp__")

// MinMaxName is the smallest name budget that still leaves room for the fixed
// parts, a page index and a hash.
const MinMaxName = 32

// hashLen is the number of hex digits that tell shortened or clashing names apart.
const hashLen = 6

// SanitizeName replaces everything but [A-Za-z0-9_] by '_'. Like the
// JavaScript it stems from it counts UTF-16 code units, so an emoji becomes
// two underscores.
func SanitizeName(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
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
		return "localhost_" + SanitizeName(port)
	}
	return SanitizeName(host)
}

// ToolName gives a page tool's plain MCP name, webmcp_{domain}_page{idx}_{tool},
// shortened to at most max bytes, which are [MinMaxName] or more. Different
// tools can get the same plain name; [State] tells them apart.
func ToolName(domain string, index int, tool string, max int) string {
	return webmcpNames.fit(domain, index, SanitizeName(tool), "", maxOf(max))
}

func maxOf(max int) int {
	if max < MinMaxName {
		return MinMaxName
	}
	return max
}

// nameStyle is what stands around domain, number and tool in a name.
type nameStyle struct{ start, page string }

var (
	webmcpNames = nameStyle{"webmcp_", "_page"}
	mcpbNames   = nameStyle{"website_tool_", "_tab"}
)

// distinct gives the name of a tool whose plain name is taken. The key is
// what tells the two apart; attempt counts on while even that is taken.
func (n nameStyle) distinct(domain string, index int, tool, key string, attempt, max int) string {
	return n.fit(domain, index, SanitizeName(tool), hash(key+"\x00"+strconv.Itoa(attempt)), max)
}

// routed is the index of a name that has none.
const routed = -1

// fit joins the parts of a name. Where they don't fit, domain and tool are
// cut and a hash of the whole is put at the end, so that names which differ
// stay different. The fixed parts and the page index are always kept. How much
// of the domain is kept doesn't depend on the tool: a site's tools share what
// their names begin with.
func (n nameStyle) fit(domain string, index int, tool, suffix string, max int) string {
	page := n.page + strconv.Itoa(index) + "_"
	if index == routed {
		page = "_"
	}
	full := n.start + domain + page + tool
	if suffix == "" && len(full) <= max {
		return full
	}
	if suffix != "" && len(full)+1+len(suffix) <= max {
		return full + "_" + suffix
	}
	suffix = hash(full + "\x00" + suffix)
	room := max - len(n.start) - len(page) - 1 - hashLen
	// The tool's own name says more than the domain's end.
	keepDomain := min(len(domain), room*2/5)
	keepTool := min(len(tool), room-keepDomain)
	return n.start + domain[:keepDomain] + page + tool[:keepTool] + "_" + suffix
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:hashLen]
}

// Describe gives a tool's final description:
// "[WebMCP • {display domain} • Page {idx}] {description or "No description"}".
// The display domain is that of [DisplayHost].
func Describe(host string, index int, description string) string {
	return describePrefix(host, index) + sanitize.Description(description)
}

func describePrefix(host string, index int) string {
	return "[WebMCP • " + host + " • Page " + strconv.Itoa(index) + "] "
}
