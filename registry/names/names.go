package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// DefaultMaxName is the longest tool name in bytes that every known client accepts: the model APIs' limit of 64, less
// the "mcp__webmcp__" that clients put before the name when the server is configured as "webmcp".
const DefaultMaxName = 64 - len("mcp__webmcp__")

// MinMaxName is the smallest limit that leaves room for the fixed parts, a page index and a hash.
const MinMaxName = 32

// hashLen is the number of hex digits that distinguish shortened or clashing names.
const hashLen = 6

// Sanitize replaces every character outside [A-Za-z0-9_] by '_'. Like the JavaScript that it comes from, it counts
// UTF-16 code units, so an emoji becomes two underscores.
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

// A Style says what stands around domain, number and tool in a name. The zero value is the tool alone.
type Style struct{ start, number string }

// These are the styles of the hub's names.
var (
	WebMCP = Style{"webmcp_", "_page"}
	MCPB   = Style{"website_tool_", "_tab"}
)

// NoNumber is the number of a name that has no number.
const NoNumber = -1

// MaxName returns max, or MinMaxName if that is larger.
func MaxName(max int) int {
	if max < MinMaxName {
		return MinMaxName
	}
	return max
}

// ToolName returns a page tool's plain MCP name, webmcp_{domain}_page{idx}_{tool}, shortened to at most max bytes,
// but at least [MinMaxName]. Different tools can get the same plain name; [First] tells them apart.
func ToolName(domain string, index int, tool string, max int) string {
	return WebMCP.Plain(domain, index, tool, MaxName(max))
}

// Has reports whether a name has this style.
func (n Style) Has(name string) bool { return strings.HasPrefix(name, n.start) }

// Plain returns the name of a tool in at most max bytes. tool may be any text.
func (n Style) Plain(domain string, number int, tool string, max int) string {
	return n.fit(domain, number, Sanitize(tool), "", max)
}

// Distinct returns a name for a tool whose plain name is taken. key distinguishes the tool from others with the same
// plain name. attempt counts from 1, while the names of earlier attempts are taken, too.
func (n Style) Distinct(domain string, number int, tool, key string, attempt, max int) string {
	return n.fit(domain, number, Sanitize(tool), hash(key+"\x00"+strconv.Itoa(attempt)), max)
}

// Rename returns a tool's name in this style and limit. from is its name in another style or limit, where it had to be
// distinguished from another tool. attempt counts from 0.
func (n Style) Rename(domain string, number int, tool, from string, attempt, max int) string {
	if attempt > 0 {
		from += "\x00" + strconv.Itoa(attempt-1)
	}
	return n.fit(domain, number, Sanitize(tool), hash(from), max)
}

// maxAttempts limits the search for a free name. Only a page that provokes clashing hashes gets this far; its tool is
// refused.
const maxAttempts = 8

// First returns the first free name: plain, or what other returns for an attempt from 1. It returns "" if all
// maxAttempts names are taken.
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

// fit joins the parts of a name. If they are too long, fit cuts domain and tool, and puts a hash of the whole at the
// end, so that different names stay different. It always keeps the fixed parts and the number. How much of the domain
// it keeps doesn't depend on the tool, so the names of a site's tools begin alike.
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
	// The tool's own name says more than the end of the domain.
	keepDomain := min(len(domain), room*2/5)
	keepTool := min(len(tool), room-keepDomain)
	return n.start + domain[:keepDomain] + between + tool[:keepTool] + "_" + suffix
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:hashLen]
}

// Describe returns a tool's final description, "[WebMCP • {display domain} • Page {idx}] {description or "No
// description"}". The display domain is that of [DisplayHost].
func Describe(host string, index int, description string) string {
	return PagePrefix(host, index) + sanitize.Description(description)
}

// PagePrefix returns the beginning of the description of everything that a page offers.
func PagePrefix(host string, index int) string {
	return "[WebMCP • " + host + " • Page " + strconv.Itoa(index) + "] "
}
