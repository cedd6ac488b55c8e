package names

import (
	"net/url"
	"strconv"
	"strings"
)

// part is a piece of a URI template: a literal, or an expression with its braces.
type part struct {
	text       string
	expression bool
}

// Template is a parsed URI template (RFC 6570).
type Template []part

// ParseTemplate splits a URI template. It returns nil if the braces don't match.
func ParseTemplate(template string) (parts Template) {
	for template != "" {
		literal, rest, found := strings.Cut(template, "{")
		if strings.Contains(literal, "}") {
			return nil
		}
		if literal != "" {
			parts = append(parts, part{text: literal})
		}
		if !found {
			return parts
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed || inside == "" || strings.Contains(inside, "{") {
			return nil
		}
		parts = append(parts, part{"{" + inside + "}", true})
		template = after
	}
	return parts
}

// EncodeURI percent-encodes everything except the characters that RFC 3986 calls unreserved.
func EncodeURI(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// DecodeURI reverses EncodeURI; ok is false for a text that EncodeURI can't have made.
func DecodeURI(s string) (decoded string, ok bool) {
	decoded, err := url.PathUnescape(s)
	return decoded, err == nil
}

// URIPrefix returns the beginning of the URIs of a page's resources. rank distinguishes frames of one page that offer
// the same URI; the first frame has 0.
func URIPrefix(host string, index, rank int) string {
	prefix := "webmcp://" + host + "/page" + strconv.Itoa(index) + "/"
	if rank > 0 {
		prefix += "frame" + strconv.Itoa(rank) + "/"
	}
	return prefix
}

// Encoded returns the template with its literals percent-encoded, as it stands after the prefix in the hub's URI
// template.
func (t Template) Encoded() string {
	var b strings.Builder
	for _, p := range t {
		if p.expression {
			b.WriteString(p.text)
		} else {
			b.WriteString(EncodeURI(p.text))
		}
	}
	return b.String()
}

// Match returns what a URI has in place of the template's expressions. encode is applied to the literals, because the
// client knows them in that form. An expression ends where the next literal first occurs; the last one ends where the
// last literal ends the URI. So Match never backtracks, whatever pages write.
func (t Template) Match(uri string, encode func(string) string) (values []string, ok bool) {
	for i, p := range t {
		last := i == len(t)-1
		switch {
		case p.expression && last:
			return append(values, uri), true
		case p.expression && t[i+1].expression: // nothing separates them, and nothing has to
			values = append(values, "")
		case p.expression: // up to the next literal
			literal := encode(t[i+1].text)
			end := strings.Index(uri, literal)
			if i+1 == len(t)-1 {
				if end = len(uri) - len(literal); !strings.HasSuffix(uri, literal) {
					end = -1
				}
			}
			if end < 0 {
				return nil, false
			}
			values, uri = append(values, uri[:end]), uri[end:]
		default:
			if uri, ok = strings.CutPrefix(uri, encode(p.text)); !ok {
				return nil, false
			}
		}
	}
	return values, uri == ""
}

// Fill puts values in the places of the template's expressions, and applies encode to the literals.
func (t Template) Fill(values []string, encode func(string) string) string {
	var b strings.Builder
	for _, p := range t {
		if p.expression {
			b.WriteString(values[0])
			values = values[1:]
		} else {
			b.WriteString(encode(p.text))
		}
	}
	return b.String()
}

// AsIs returns its argument.
func AsIs(s string) string { return s }
