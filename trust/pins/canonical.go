package pins

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// maxNesting is the maximum nesting of JSON that canonical accepts.
const maxNesting = 200

// canonical returns JSON without spaces, with members sorted by name, and with one form for equal strings. It returns
// raw unchanged if raw is no JSON, is nested too deeply, or has the same name twice in one object, which readers may
// interpret in different ways.
func canonical(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return raw
	}
	room := make([]byte, 2*len(raw))
	c := canon{in: raw, out: room[:0:len(raw)], unsent: room[len(raw):]}
	if c.value(0); c.next() != end || c.odd {
		return raw
	}
	return c.out
}

// canon reads JSON and writes it in canonical form at the same time. If odd is set, it stops.
type canon struct {
	in, out []byte
	at      int
	odd     bool
	unsent  []byte // memory for [canon.sort]
}

// end is the byte that [canon.next] returns at the end. JSON doesn't contain this byte outside of strings.
const end = 0

// next returns the next byte that is not a space, without reading past it.
func (c *canon) next() byte {
	for ; c.at < len(c.in); c.at++ {
		switch is := c.in[c.at]; is {
		case ' ', '\t', '\n', '\r':
		case end:
			c.odd = true
			return end
		default:
			return is
		}
	}
	return end
}

func (c *canon) value(depth int) {
	switch first := c.next(); {
	case c.odd || depth > maxNesting:
		c.odd = true
	case first == '{':
		c.object(depth)
	case first == '[':
		c.list(depth)
	case first == '"':
		c.text()
	default:
		c.plain()
	}
}

// plain copies a number, true, false or null.
func (c *canon) plain() {
	from := c.at
	for c.at < len(c.in) && !strings.ContainsRune(",]}: \t\r\n", rune(c.in[c.at])) {
		c.at++
	}
	switch token := c.in[from:c.at]; string(token) {
	case "true", "false", "null":
		c.out = append(c.out, token...)
	default:
		c.odd = !json.Valid(token)
		c.out = append(c.out, token...)
	}
}

func (c *canon) list(depth int) {
	c.take()
	for more := c.next() != ']'; more && !c.odd; {
		if c.value(depth + 1); c.odd {
			return
		}
		if more = c.next() == ','; more {
			c.take()
		}
	}
	c.close(']')
}

// member is the position of an object's member in canon.out.
type member struct{ from, colon, to int }

func (c *canon) object(depth int) {
	c.take()
	var room [16]member
	members, sorted, start := room[:0], true, len(c.out)
	for more := c.next() != '}'; more && !c.odd; {
		m := member{from: len(c.out)}
		if c.next() != '"' {
			c.odd = true
			return
		}
		c.text()
		m.colon = len(c.out)
		c.close(':')
		if c.value(depth + 1); c.odd {
			return
		}
		m.to = len(c.out)
		if n := len(members); n > 0 {
			sorted = sorted && bytes.Compare(c.name(members[n-1]), c.name(m)) < 0
		}
		members = append(members, m)
		if more = c.next() == ','; more {
			c.take()
		}
	}
	if !sorted {
		c.sort(start, members)
	}
	c.close('}')
}

func (c *canon) name(m member) []byte { return c.out[m.from:m.colon] }

// sort sorts the members of an object that was written from position start on.
func (c *canon) sort(start int, members []member) {
	was := append(c.unsent[:0], c.out[start:]...)
	c.unsent = was
	name := func(m member) []byte { return was[m.from-start : m.colon-start] }
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(name(a), name(b)) })
	c.out = c.out[:start]
	for i, m := range members {
		if i > 0 {
			c.out = append(c.out, ',')
			c.odd = c.odd || bytes.Equal(name(members[i-1]), name(m))
		}
		c.out = append(c.out, was[m.from-start:m.to-start]...)
	}
}

// take copies one byte.
func (c *canon) take() {
	c.out = append(c.out, c.in[c.at])
	c.at++
}

// close copies the next byte, which must be is.
func (c *canon) close(is byte) {
	if c.odd || c.next() != is {
		c.odd = true
		return
	}
	c.take()
}

// text copies a string. It rewrites a string that contains escapes.
func (c *canon) text() {
	from := c.at
	plain := true
	for c.at++; ; c.at++ {
		if c.at >= len(c.in) || c.in[c.at] < ' ' {
			c.odd = true
			return
		}
		if c.in[c.at] == '"' {
			break
		}
		if c.in[c.at] == '\\' {
			plain = false
			c.at++
		}
	}
	c.at++
	token := c.in[from:c.at]
	if !plain || escaped(token) {
		token = c.rewritten(token)
	}
	c.out = append(c.out, token...)
}

// escaped reports whether encoding/json escapes a character in a string that has no escapes. It escapes two characters
// that JSON allows in strings and old JavaScript didn't.
func escaped(token []byte) bool {
	return bytes.IndexByte(token, 0xE2) >= 0 &&
		(bytes.Contains(token, []byte("\u2028")) || bytes.Contains(token, []byte("\u2029")))
}

// rewritten returns a string as encoding/json writes it.
func (c *canon) rewritten(token []byte) []byte {
	var s string
	if json.Unmarshal(token, &s) != nil {
		c.odd = true
		return nil
	}
	return jsonrpc.MustEncode(s)
}
