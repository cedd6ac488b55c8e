package mask

import (
	"math"
	"slices"
	"strings"
)

// Masked replaces a secret.
const Masked = "[masked]"

// Masker masks secrets. The zero value is ready for use.
type Masker struct {
	Emails bool     // mask addresses of e-mail, too
	Names  []string // further names of members whose values are secret
}

// Bounds of what is looked at, in bytes.
const (
	minEntropic = 32      // shorter texts are ordinary ids
	maxEntropic = 200     // longer ones are data, such as pictures
	maxRun      = 4 << 10 // a run of this length is data, and nothing in it is a secret
	maxName     = 40
	maxValue    = 256 // of a value after its name, by which is decided
)

// Text returns a text with the secrets in it masked.
func (m *Masker) Text(s string) string {
	p := scan{s: s, table: compiled()}
	for p.at < len(s) {
		if end := m.secret(&p); end > p.at {
			p.at = end
		} else {
			p.at++
		}
	}
	if p.from == 0 {
		return s
	}
	p.out.WriteString(s[p.from:])
	return p.out.String()
}

// scan is one pass over a text.
type scan struct {
	*table
	s    string
	at   int // the position that is looked at
	from int // what is before it has been written to out
	run  int // the end of the run of base64 characters that was looked at last
	out  strings.Builder
}

// hide masks a part of the text, and returns its end.
func (p *scan) hide(begin, end int) int {
	if begin < p.from {
		begin = p.from
	}
	if begin < end {
		p.out.WriteString(p.s[p.from:begin])
		p.out.WriteString(Masked)
		p.from = end
	}
	return end
}

// secret masks the secret that is at the scan's position. It returns where to go on; 0 means with the next byte.
func (m *Masker) secret(p *scan) int {
	s, i := p.s, p.at
	c := s[i]
	if i+1 < len(s) {
		if list := p.starts[int(lower[c])<<8|int(lower[s[i+1]])]; list != 0 {
			for _, r := range p.starters[list-1] {
				if begin, end := r(s, i); end > 0 {
					return p.hide(begin, end)
				}
			}
		}
	}
	if c == '@' && m.Emails {
		if begin, end := email(s, i); end > 0 {
			return p.hide(begin, end)
		}
	}
	if class[c]&b64 == 0 || !begins(s, i) {
		return 0
	}
	if isDigit(c) {
		if end := card(s[i:]); end > 0 {
			return p.hide(i, i+end)
		}
	}
	if i < p.run {
		return 0
	}
	p.run = i + span(s[i:], b64)
	switch n := p.run - i; {
	case n > maxRun:
		return p.run
	case n >= minEntropic && n <= maxEntropic && !isPath(s, i) && entropic(s[i:p.run]):
		return p.hide(i, p.run)
	}
	return 0
}

// begins reports whether a word begins at a position: after anything but a letter or a digit, and after an escape such
// as \n or %3D.
func begins(s string, i int) bool {
	if i == 0 || class[s[i-1]]&alnum == 0 {
		return true
	}
	return i > 1 && s[i-2] == '\\' || i > 2 && s[i-3] == '%' && class[s[i-1]]&class[s[i-2]]&hex != 0
}

// isPath reports whether the run of characters at a position belongs to a path or an address, says of which hash it is,
// or is JSON in base64, as cursors of lists are. Ids in addresses are ordinary.
func isPath(s string, i int) bool {
	if s[i] == '/' || i > 0 && (s[i-1] == '.' || s[i-1] == '/' || s[i-1] == ':' && strings.HasPrefix(s[i:], "//")) {
		return true
	}
	return strings.HasPrefix(s[i:], "sha") || strings.HasPrefix(s[i:], "eyJ") || i > 7 && s[i-7:i] == "base64,"
}

// entropic reports whether a run of base64 characters looks random. Its letters and digits are mixed, and it isn't made
// of words: in a random text, one kind of characters follows another at about every second place.
func entropic(s string) bool {
	var kinds [3]int // upper case, lower case, digits
	var counts [256]uint8
	changes, others, before := 0, 0, -1
	for i := range len(s) {
		c := s[i]
		counts[c]++
		kind := 0
		switch {
		case c >= 'A' && c <= 'Z':
		case c >= 'a' && c <= 'z':
			kind = 1
		case isDigit(c):
			kind = 2
		default:
			others++
			continue
		}
		if kind != before && !(before == 0 && kind == 1) { // a word may begin with a capital letter
			changes++
		}
		kinds[kind]++
		before = kind
	}
	n := float64(len(s))
	if kinds[0] < 4 || kinds[1] < 4 || kinds[2] < 2 || float64(others) > n/6 || float64(changes) < 0.3*n {
		return false
	}
	bits := 0.0
	for _, count := range counts {
		if count > 0 {
			share := float64(count) / n
			bits -= share * math.Log2(share)
		}
	}
	return bits >= 4
}

// email returns the address around the @ at a position.
func email(s string, at int) (begin, end int) {
	for begin = at; begin > 0 && at-begin < 64 && (class[s[begin-1]]&word != 0 || strings.IndexByte(".+%", s[begin-1]) >= 0); {
		begin--
	}
	end = at + 1
	dots := 0
	for end < len(s) && end-at < 255 && (class[s[end]]&alnum != 0 || s[end] == '-' || s[end] == '.') {
		if s[end] == '.' {
			dots++
		}
		end++
	}
	for end > at+1 && s[end-1] == '.' {
		end--
		dots--
	}
	if begin == at || dots < 1 {
		return 0, 0
	}
	return begin, end
}

// Member returns a text that is the value of a member, with the secrets in it masked. whole reports that all of it is
// secret, as [Masker.IsSecretMember] says.
func (m *Masker) Member(name, value string) (masked string, whole bool) {
	if m.IsSecretMember(name, value) {
		return Masked, true
	}
	return m.Text(value), false
}

// IsSecretMember reports whether a value that isn't an argument, but in a text of somebody else, is secret because of its
// name. Many things have such names without being secret, so numbers and sentences aren't.
func (m *Masker) IsSecretMember(name, value string) bool {
	if slices.Contains(m.Names, name) || Likely(name, value) {
		return true
	}
	return Name(name) && !strings.Contains(value, " ") && secretive(value, true, false)
}

// Name reports whether all values of members of this name are secret.
func (m *Masker) Name(name string) bool {
	return slices.Contains(m.Names, name) || Name(name)
}

// Classes of characters.
const (
	alnum = 1 << iota
	hex
	up
	word
	b64
	dot
	digit
)

var class, lower = classes()

func classes() (class [256]uint8, lower [256]byte) {
	for c := range 256 {
		lower[c] = byte(c)
		switch {
		case c >= '0' && c <= '9':
			class[c] = alnum | hex | up | word | b64 | dot | digit
		case c >= 'A' && c <= 'Z':
			class[c] = alnum | up | word | b64 | dot
			lower[c] = byte(c) + 'a' - 'A'
		case c >= 'a' && c <= 'z':
			class[c] = alnum | word | b64 | dot
		}
		switch c {
		case 'A', 'B', 'C', 'D', 'E', 'F', 'a', 'b', 'c', 'd', 'e', 'f':
			class[c] |= hex
		case '_', '-':
			class[c] = word | b64 | dot
		case '+', '/', '=':
			class[c] = b64 | dot
		case '.':
			class[c] = dot
		}
	}
	return class, lower
}

// span returns how many characters of a class a text begins with.
func span(s string, of uint8) (n int) {
	for n < len(s) && class[s[n]]&of != 0 {
		n++
	}
	return n
}

func isDigit(c byte) bool { return class[c]&digit != 0 }
