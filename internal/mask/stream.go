package mask

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

const (
	maxString  = 8 << 20 // a longer JSON string is masked as a whole, so that none has to be kept in memory
	maxNested  = 3       // levels of JSON within JSON strings that are looked at
	maxPlain   = 4096    // short strings that are remembered to have no secret: most of a trace's are repeated
	plainBytes = 256
	maxOuter   = 16 // objects around one whose names are remembered until it ends
	buffered   = 64 << 10
)

// Copy copies JSON, such as a performance trace, with the secrets in its strings masked: a string that is an address is
// masked as by [Masker.Address], one that is JSON is masked inside, and the value of a header such as
// {"name": "cookie", "value": "…"} is judged by the header's name, if the name comes first. Outside strings everything
// stays as it is, so whoever reads the copy finds numbers where they were. If the JSON ends early, so does the copy.
func (m *Masker) Copy(to io.Writer, from io.Reader) error {
	return m.copy(to, from, 0, buffered)
}

// copy is Copy for JSON that is nested in so many strings, with a buffer of a size.
func (m *Masker) copy(to io.Writer, from io.Reader, nested, size int) error {
	c := copying{m: m, plain: map[string]bool{}, in: bufio.NewReaderSize(from, size), out: bufio.NewWriterSize(to, size),
		nested: nested}
	if err := c.run(); !errors.Is(err, io.EOF) {
		return err
	}
	return c.out.Flush()
}

// copying is one run of [Masker.Copy].
type copying struct {
	m      *Masker
	in     *bufio.Reader
	out    *bufio.Writer
	nested int
	buf    []byte           // the string that is looked at, with its quotes
	within                  // the object that is read
	outer  [maxOuter]within // those around it, the outermost first
	depth  int              // the number of all objects around it
	plain  map[string]bool
	key    []byte // of plain: a string, after a name and a colon if it is that member's value
}

// within is the place in an object.
type within struct {
	name   string // of the member whose value is read
	header string // the text of the member "name", if it came already
}

// run copies until the input ends, and returns why it ended.
func (c *copying) run() error {
	for {
		part, err := c.in.Peek(max(1, c.in.Buffered()))
		if len(part) == 0 {
			return err
		}
		n := 0
		for n < len(part) && part[n] != '"' && part[n] != '{' && part[n] != '}' && !c.number(part, n) {
			n++
		}
		_, _ = c.out.Write(part[:n])
		_, _ = c.in.Discard(n)
		switch {
		case n == len(part):
		case part[n] == '"':
			if err := c.text(); err != nil {
				return err
			}
		case part[n] == '{' || part[n] == '}':
			c.turn(part[n] == '{')
			_ = c.out.WriteByte(part[n])
			_, _ = c.in.Discard(1)
		default:
			c.digits()
		}
	}
}

// turn enters an object, or leaves one.
func (c *copying) turn(in bool) {
	if in {
		if c.depth < maxOuter {
			c.outer[c.depth] = c.within
		}
		c.depth, c.within = c.depth+1, within{}
		return
	}
	c.depth, c.within = max(0, c.depth-1), within{}
	if c.depth < maxOuter {
		c.within = c.outer[c.depth]
	}
}

// number reports whether a whole number begins at a position that may have to be masked: one in the JSON within a
// string, which is a page's data. Numbers outside strings are a trace's own.
func (c *copying) number(part []byte, n int) bool {
	return c.nested > 0 && isDigit(part[n]) && (n == 0 || class[part[n-1]]&dot == 0)
}

// digits copies a whole number.
func (c *copying) digits() {
	c.buf = c.buf[:0]
	for {
		b, err := c.in.ReadByte()
		if err != nil || class[b]&dot == 0 {
			if err == nil {
				_ = c.in.UnreadByte()
			}
			break
		}
		c.buf = append(c.buf, b)
	}
	if text := string(c.buf); span(text, digit) == len(text) &&
		(c.m.IsSecretMember(c.name, text) || c.m.Text(text) != text) {
		_, _ = c.out.Write(maskedJSON)
		return
	}
	_, _ = c.out.Write(c.buf)
}

// text copies a string: the name of a member, or a value.
func (c *copying) text() error {
	whole, err := c.read()
	if err != nil {
		return err
	}
	after, err := c.blanks()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch isName := len(after) > 0 && after[len(after)-1] == ':'; {
	case !whole:
		c.name, c.buf = "", append(c.buf[:0], maskedJSON...)
	case isName:
		c.name, _ = jsonrpc.Text(c.buf)
		if c.key = append(c.key[:0], c.buf...); !c.plain[string(c.key)] {
			c.replace(c.m.Text)
		}
	default:
		c.value()
	}
	_, _ = c.out.Write(c.buf)
	_, err = c.out.Write(after)
	return err
}

// read reads a string into buf. whole says that it isn't longer than maxString.
func (c *copying) read() (whole bool, err error) {
	c.buf = c.buf[:0]
	escaped := false
	first := true
	for {
		part, err := c.in.ReadSlice('"')
		if len(c.buf) <= maxString {
			c.buf = append(c.buf, part...)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false, err
		}
		if first { // the quote with which the string begins
			first = false
			continue
		}
		for _, b := range part {
			if escaped {
				escaped = false
				continue
			}
			switch b {
			case '\\':
				escaped = true
			case '"':
				return len(c.buf) <= maxString, nil
			}
		}
	}
}

// blanks reads white space and the colon after it, if there is one.
func (c *copying) blanks() (read []byte, err error) {
	for {
		b, err := c.in.ReadByte()
		switch {
		case err != nil:
			return read, err
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
		case b == ':':
			return append(read, b), nil
		default:
			return read, c.in.UnreadByte()
		}
		read = append(read, b)
	}
}

// value masks the string in buf, which is the value of the member c.name, or in a list that is.
func (c *copying) value() {
	name := c.name
	switch {
	case name == "name":
		c.header, _ = jsonrpc.Text(c.buf)
	case name == "value" && c.header != "":
		name = c.header
	}
	if c.key = append(append(append(c.key[:0], name...), ':'), c.buf...); !c.plain[string(c.key)] {
		c.replace(func(text string) string { return c.masked(name, text) })
	}
}

// replace masks the string in buf, or remembers its key as plain.
func (c *copying) replace(masked func(text string) string) {
	text, _ := jsonrpc.Text(c.buf)
	if text == "" && len(c.buf) > len(`""`) { // it can't be decoded
		c.buf = append(c.buf[:0], maskedJSON...)
	} else if now := masked(text); now != text {
		c.buf = append(c.buf[:0], jsonrpc.MustEncode(now)...)
	} else if len(c.key) <= plainBytes && len(c.plain) < maxPlain {
		c.plain[string(c.key)] = true
	}
}

// credentials are headers whose values are secret, whatever they look like.
var credentials = []string{"cookie", "set-cookie", "authorization", "proxy-authorization"}

func (c *copying) masked(name, text string) string {
	switch {
	case text == "":
		return text
	case c.m.IsSecretMember(name, text) || slices.Contains(credentials, strings.ToLower(name)):
		return Masked
	case strings.HasPrefix(text, "http") && strings.Contains(text[:min(len(text), 8)], "://"):
		return c.m.Address(text)
	}
	begin := strings.TrimSpace(text)
	if c.nested == maxNested || begin == "" || begin[0] != '{' && begin[0] != '[' || !json.Valid([]byte(begin)) {
		return c.m.Text(text)
	}
	var out strings.Builder
	if c.m.copy(&out, strings.NewReader(text), c.nested+1, min(len(text), buffered)) != nil {
		return Masked
	}
	return out.String()
}
