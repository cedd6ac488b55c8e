package pins

import (
	"bytes"
	"encoding/json"
	"slices"
)

// maxNesting is how deep JSON is put in canonical form.
const maxNesting = 200

// canonical gives JSON without spaces, with members sorted by name and strings written
// in one way. What is no JSON, nested too deep, or has a name twice in one object (which
// readers may understand in different ways) is given as it stands.
func canonical(raw json.RawMessage) []byte {
	if len(raw) == 0 || !json.Valid(raw) {
		return raw
	}
	c := canon{in: raw, out: make([]byte, 0, len(raw))}
	if c.value(0); c.odd {
		return raw
	}
	return c.out
}

// canon writes valid JSON in canonical form.
type canon struct {
	in, out []byte
	at      int
	odd     bool
}

// next is the next character that is no space.
func (c *canon) next() byte {
	for c.in[c.at] == ' ' || c.in[c.at] == '\t' || c.in[c.at] == '\n' || c.in[c.at] == '\r' {
		c.at++
	}
	return c.in[c.at]
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
		from := c.at
		for c.at < len(c.in) && bytes.IndexByte([]byte(",]} \t\r\n"), c.in[c.at]) < 0 {
			c.at++
		}
		c.out = append(c.out, c.in[from:c.at]...)
	}
}

func (c *canon) list(depth int) {
	c.take()
	for c.next() != ']' && !c.odd {
		if c.value(depth + 1); !c.odd && c.next() == ',' {
			c.take()
		}
	}
	if !c.odd {
		c.take()
	}
}

// member is a member of an object, where it stands in canon.out.
type member struct{ from, colon, to int }

func (c *canon) object(depth int) {
	c.take()
	var room [16]member
	members, sorted, start := room[:0], true, len(c.out)
	for c.next() != '}' && !c.odd {
		m := member{from: len(c.out)}
		c.text()
		m.colon = len(c.out)
		c.next()
		c.take()
		c.value(depth + 1)
		m.to = len(c.out)
		if n := len(members); n > 0 {
			order := bytes.Compare(c.name(members[n-1]), c.name(m))
			sorted = sorted && order < 0
		}
		members = append(members, m)
		if c.odd {
			return
		}
		if c.next() == ',' {
			c.at++
			c.out = append(c.out, ',')
		}
	}
	if c.odd {
		return
	}
	if !sorted {
		c.sort(start, members)
	}
	c.take()
}

func (c *canon) name(m member) []byte { return c.out[m.from:m.colon] }

// sort puts the members of an object that is written from start in order.
func (c *canon) sort(start int, members []member) {
	was := bytes.Clone(c.out[start:])
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

// take passes one character on.
func (c *canon) take() {
	c.out = append(c.out, c.in[c.at])
	c.at++
}

// text passes a string on. One with escapes is written anew.
func (c *canon) text() {
	from := c.at
	plain := true
	for c.at++; c.in[c.at] != '"'; c.at++ {
		if c.in[c.at] == '\\' {
			plain = false
			c.at++
		}
	}
	c.at++
	token := c.in[from:c.at]
	if !plain {
		var s string
		if json.Unmarshal(token, &s) == nil {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if e.Encode(s) == nil {
				token = bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
			}
		}
	}
	c.out = append(c.out, token...)
}
