package flow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in bytes of a squeezed text.
const (
	passageLength = 20 // of a passage of a text, about four words
	gramLength    = 12 // of a part of a long value
	minValue      = 4  // of a value that is compared as a whole
	minWord       = 5  // of a value without digits
	minUnusual    = 6  // of a value with so many others of its length that no site lists all
	// maxToken is the number of positions in a long word or number with digits from which a part is kept.
	maxToken = 256
	maxWords = 4 // of a field's value
)

// squeezed is a text of which only the letters and digits are left, in lower case. So case, spaces and punctuation
// make no difference between texts.
type squeezed struct {
	bytes []byte
	at    []int32 // where the letter of each byte begins in the text
	word  []bool  // a word or a number begins here
	chunk []bool  // something between blanks, quotes or brackets begins here
	run   []bool  // digits or letters begin here
	end   int     // the length of the text
}

func squeeze(text string) squeezed {
	n := len(text)
	flags := make([]bool, 3*n)
	s := squeezed{end: n, bytes: make([]byte, 0, n), at: make([]int32, 0, n),
		word: flags[:0:n], chunk: flags[n : n : 2*n], run: flags[2*n : 2*n]}
	word, chunk, digit := true, true, false
	for i, r := range text {
		if r >= '！' && r <= '～' { // full width
			r -= '！' - '!'
		}
		r = ascii(r)
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
		case unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r):
			continue
		default:
			word = true
			chunk = chunk || unicode.IsSpace(r) || strings.ContainsRune("\"'`<>(){}[]=;|&?/\\:", r)
			continue
		}
		if r < utf8.RuneSelf {
			s.bytes, s.at = append(s.bytes, byte(unicode.ToLower(r))), append(s.at, int32(i))
			s.word, s.chunk = append(s.word, word), append(s.chunk, chunk)
			s.run = append(s.run, word || digit != unicode.IsDigit(r))
			word, chunk, digit = false, false, unicode.IsDigit(r)
			continue
		}
		letter := string(unicode.ToLower(r))
		if r >= utf8.RuneSelf && len(letter) == 2 {
			letter = letter[1:] // one byte for a letter in any alphabet, and more for a syllable or ideograph
		}
		for j := range len(letter) {
			s.bytes, s.at = append(s.bytes, letter[j]), append(s.at, int32(i))
			s.word, s.chunk = append(s.word, word && j == 0), append(s.chunk, chunk && j == 0)
			s.run = append(s.run, (word || digit != unicode.IsDigit(r)) && j == 0)
		}
		word, chunk, digit = false, false, unicode.IsDigit(r)
	}
	return s
}

// rotated returns what squeeze returns for the text in rot13, except for at. It returns false if rot13 changes no
// letter.
func (s squeezed) rotated() (turned squeezed, is bool) {
	turned = s
	turned.bytes = make([]byte, len(s.bytes))
	for i, c := range s.bytes {
		if 'a' <= c && c <= 'z' {
			c, is = 'a'+(c-'a'+13)%26, true
		}
		turned.bytes[i] = c
	}
	return turned, is
}

// reversed returns what squeeze returns for the text read backwards, but without at and end.
func (s squeezed) reversed() squeezed {
	n := len(s.bytes)
	flags := make([]bool, 3*n)
	r := squeezed{bytes: make([]byte, 0, n), word: flags[:n], chunk: flags[n : 2*n], run: flags[2*n:]}
	for end := n; end > 0; {
		begin := end - 1
		for begin > 0 && s.at[begin-1] == s.at[begin] {
			begin--
		}
		i := len(r.bytes)
		r.bytes = append(r.bytes, s.bytes[begin:end]...)
		r.word[i] = end == n || s.word[end]
		r.chunk[i] = end == n || s.chunk[end]
		r.run[i] = end == n || s.run[end]
		end = begin
	}
	return r
}

// ascii returns the ASCII digit for a digit of any script, and other letters as they are. The digits of a script have
// ten code points in a row, and a range of Unicode's table has those of one script or more.
func ascii(r rune) rune {
	if r < 0x660 || !unicode.Is(unicode.Nd, r) {
		return r
	}
	for _, in := range unicode.Nd.R16 {
		if lo := rune(in.Lo); lo <= r && r <= rune(in.Hi) {
			return '0' + (r-lo)%10
		}
	}
	for _, in := range unicode.Nd.R32 {
		if lo := rune(in.Lo); lo <= r && r <= rune(in.Hi) {
			return '0' + (r-lo)%10
		}
	}
	return r
}

// parts calls f with the bounds of each part. A part begins where starts is true.
func (s squeezed) parts(starts []bool, f func(i, j int)) {
	for i := 0; i < len(starts); {
		j := i + 1
		for j < len(starts) && !starts[j] {
			j++
		}
		f(i, j)
		i = j
	}
}

// original returns the bounds in the text of the bytes from i to j.
func (s squeezed) original(i, j int) (from, to int) {
	if j < len(s.at) {
		return int(s.at[i]), int(s.at[j])
	}
	return int(s.at[i]), s.end
}

func hash(b []byte) uint64 { return more(14695981039346656037, b) } // FNV-1a

// more returns the hash of bytes with the hash h that are followed by b.
func more(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func hasDigit(b []byte) bool {
	for _, c := range b {
		if '0' <= c && c <= '9' {
			return true
		}
	}
	return false
}

// distinct reports whether a value with digits is rare enough to be compared: years and round numbers are everywhere.
func distinct(b []byte) bool {
	year := len(b) == 4 && (bytes.HasPrefix(b, []byte("19")) || bytes.HasPrefix(b, []byte("20")))
	round := len(bytes.TrimRight(b, "0")) <= 1
	return len(b) >= minValue && hasDigit(b) && !year && !round
}

// content collects the hashes of a text that a client reads.
type content struct {
	add     func(hash uint64, kind Kind)
	private bool // it has a number, an address or a field's value
	opaque  bool // it has a picture or the like
	size    int
}

// text adds the hashes of a text: of every passage that begins with a word, and of every value with digits.
func (c *content) text(text string) {
	if c.size += len(text); c.size > maxRead {
		c.opaque = true
		return
	}
	s := squeeze(text)
	for i := range s.bytes {
		if s.word[i] && i+passageLength <= len(s.bytes) {
			c.add(hash(s.bytes[i:i+passageLength]), 0)
		}
	}
	value := func(i, j int) {
		switch b := s.bytes[i:j]; {
		case !hasDigit(b):
		case !distinct(b):
			c.add(hash(b), common)
		case len(b) < gramLength:
			c.add(hash(b), 0)
			c.private = true
		default:
			c.private = true
			for k := i; k < min(j, i+maxToken) && k+gramLength <= len(s.bytes); k++ {
				c.add(hash(s.bytes[k:k+gramLength]), 0)
			}
		}
	}
	s.parts(s.word, value)
	s.parts(s.run, value)
	s.parts(s.chunk, func(i, j int) {
		value(i, j)
		if from, to := s.original(i, j); strings.Contains(text[from:to], "@") {
			c.field(text[from:to])
		}
	})
}

// field adds the hashes of a field's value. It ignores a text of more than maxWords words, which is no value.
func (c *content) field(text string) {
	if len(strings.Fields(text)) > maxWords {
		return
	}
	s := squeeze(text)
	c.private = c.private || len(s.bytes) >= minWord
	for i := range min(len(s.bytes)-gramLength+1, maxToken) {
		if s.word[i] {
			c.add(hash(s.bytes[i:i+gramLength]), Field)
		}
	}
	if n := len(s.bytes); n >= minWord && n < gramLength || distinct(s.bytes) && n < gramLength {
		c.add(hash(s.bytes), Field)
	}
}

// lines adds the hashes of a text for people. Some parts of a line count as a field's value: the text after a colon, a
// cell of a table, and in a snapshot a text or a value in quotes.
func (c *content) lines(text string) {
	if json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "{[") {
		c.json([]byte(text), true)
		return
	}
	c.text(text)
	for line := range strings.SplitSeq(text, "\n") {
		quoted := strings.Split(line, `"`)
		for i := 1; i < len(quoted); i += 2 {
			before := strings.Fields(quoted[i-1])
			if len(before) == 0 || slices.Contains(valued, before[len(before)-1]) {
				c.field(quoted[i])
				_, after, _ := strings.Cut(quoted[i], ": ")
				c.field(after)
			}
		}
		if _, value, is := strings.Cut(line, ": "); is && len(quoted) == 1 {
			c.field(value)
		}
		if cells := strings.FieldsFunc(line, func(r rune) bool { return r == '|' || r == '\t' }); len(cells) > 2 {
			for _, cell := range cells {
				c.field(cell)
			}
		}
	}
}

// valued are the words in a snapshot after which text in quotes is a value, and not the name of a control.
var valued = []string{"-", "value=", "text", "cell", "gridcell", "paragraph", "item", "status", "definition"}

// unread contains the names of members of results that are not the page's words.
var unread = []string{"type", "mimeType", "annotations", "_meta", "resultType", "isError", "role", "jsonrpc"}

// json adds the hashes of a result or a part of one. values says that its texts are fields' values, except in members
// that are called text or message.
func (c *content) json(raw []byte, values bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var in any
	if d.Decode(&in) != nil {
		c.text(string(raw))
		return
	}
	c.walk(in, values)
}

func (c *content) walk(in any, value bool) {
	switch v := in.(type) {
	case string:
		if v == "" {
			return
		}
		if value {
			c.field(v)
		}
		c.lines(v)
	case json.Number:
		c.text(v.String())
	case []any:
		for _, item := range v {
			c.walk(item, value)
		}
	case map[string]any:
		_, binary := v["mimeType"]
		for name, member := range v {
			switch {
			case slices.Contains(unread, name):
			case binary && (name == "data" || name == "blob"):
				c.opaque, c.private = true, true
			default:
				c.text(name)
				c.walk(member, name != "text" && name != "message")
			}
		}
	}
}
