package names

import (
	"crypto/sha256"
	"encoding/hex"
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

// Sanitize replaces everything but [A-Za-z0-9_] by '_'. Like the
// JavaScript it stems from it counts UTF-16 code units, so an emoji becomes
// two underscores.
func Sanitize(name string) string {
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

// A Style is what stands around domain, number and tool in a name. The zero value
// has the tool alone.
type Style struct{ start, number string }

// The styles of the hub's names.
var (
	WebMCP = Style{"webmcp_", "_page"}
	MCPB   = Style{"website_tool_", "_tab"}
)

// NoNumber is the number of a name that has none.
const NoNumber = -1

// MaxName is the limit of names in bytes that max asks for.
func MaxName(max int) int {
	if max < MinMaxName {
		return MinMaxName
	}
	return max
}

// ToolName gives a page tool's plain MCP name, webmcp_{domain}_page{idx}_{tool},
// shortened to at most max bytes, which are [MinMaxName] or more. Different
// tools can get the same plain name; [First] tells them apart.
func ToolName(domain string, index int, tool string, max int) string {
	return WebMCP.Plain(domain, index, tool, MaxName(max))
}

// Has says whether a name is of the style.
func (n Style) Has(name string) bool { return strings.HasPrefix(name, n.start) }

// Plain gives the name of a tool, which may be any text, in at most max bytes.
func (n Style) Plain(domain string, number int, tool string, max int) string {
	return n.fit(domain, number, Sanitize(tool), "", max)
}

// Distinct gives names for a tool whose plain name is taken. The key is what tells
// it from others of that name; attempt counts from 1 while even that is taken.
func (n Style) Distinct(domain string, number int, tool, key string, attempt, max int) string {
	return n.fit(domain, number, Sanitize(tool), hash(key+"\x00"+strconv.Itoa(attempt)), max)
}

// Rename gives the name of a tool that another style or limit has called from,
// which had to be told apart from another; attempt counts from 0.
func (n Style) Rename(domain string, number int, tool, from string, attempt, max int) string {
	if attempt > 0 {
		from += "\x00" + strconv.Itoa(attempt-1)
	}
	return n.fit(domain, number, Sanitize(tool), hash(from), max)
}

// maxAttempts bounds the search for a free name. Only a page that works at
// clashing hashes gets this far; its tool is refused.
const maxAttempts = 8

// First gives the first name that is free: plain, or what other gives for an
// attempt from 1. It is "" if none of so many is.
func First(plain string, free func(name string) bool, other func(attempt int) string) string {
	for attempt := range maxAttempts {
		if attempt > 0 {
			plain = other(attempt)
		}
		if free(plain) {
			return plain
		}
	}
	return ""
}

// fit joins the parts of a name. Where they don't fit, domain and tool are
// cut and a hash of the whole is put at the end, so that names which differ
// stay different. The fixed parts and the number are always kept. How much
// of the domain is kept doesn't depend on the tool: a site's tools share what
// their names begin with.
func (n Style) fit(domain string, number int, tool, suffix string, max int) string {
	between := ""
	switch {
	case n == Style{}:
	case number == NoNumber:
		between = "_"
	default:
		between = n.number + strconv.Itoa(number) + "_"
	}
	full := n.start + domain + between + tool
	if suffix == "" && len(full) <= max {
		return full
	}
	if suffix != "" && len(full)+1+len(suffix) <= max {
		return full + "_" + suffix
	}
	suffix = hash(full + "\x00" + suffix)
	room := max - len(n.start) - len(between) - 1 - hashLen
	// The tool's own name says more than the domain's end.
	keepDomain := min(len(domain), room*2/5)
	keepTool := min(len(tool), room-keepDomain)
	return n.start + domain[:keepDomain] + between + tool[:keepTool] + "_" + suffix
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:hashLen]
}

// Describe gives a tool's final description:
// "[WebMCP • {display domain} • Page {idx}] {description or "No description"}".
// The display domain is that of [DisplayHost].
func Describe(host string, index int, description string) string {
	return PagePrefix(host, index) + sanitize.Description(description)
}

// PagePrefix is what the description of anything that a page offers begins with.
func PagePrefix(host string, index int) string {
	return "[WebMCP • " + host + " • Page " + strconv.Itoa(index) + "] "
}
