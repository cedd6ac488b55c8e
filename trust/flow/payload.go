package flow

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// item is a part of an action's texts that can be compared with what the client has read.
type item struct {
	hash     uint64
	in       int32 // the number of the text that contains it
	from, to int32 // its place in the squeezed text
	few      bool  // it is short and has digits, so a site can list all of its length
	digits   bool  // it has digits
}

// reading is a text and a way to read it.
type reading struct {
	text string
	as   func(string) string // nil if it is read as it stands
}

// payload holds an action's texts with all the meanings that they may have.
type payload struct {
	texts []reading
	items []item
	among filter // items are kept only if they may be among these hashes; nil keeps all
	cut   bool   // a text, or a meaning of one, was too long or one too many to be compared
}

// Limits of what is compared of one action, in bytes and texts.
const (
	maxPayload  = 1 << 16
	maxMeant    = 64
	maxCompared = 1 << 18 // all meanings together
	maxDecoded  = 2       // codes around each other
)

// newPayload splits the texts of an action. before are earlier texts to the same site, because an agent may send a
// secret in parts. names are compared among themselves. Only items that may be among these hashes are kept; with nil,
// all are.
func newPayload(before, texts, names []string, among filter) (p payload) {
	p.among = among
	all := slices.Concat(before, texts)
	p.join(all, len(before))
	meant := map[string]bool{}
	if decode(strings.Join(all, ""), meant, maxDecoded); len(all) > 1 {
		for _, text := range texts {
			decode(text, meant, maxDecoded)
		}
	}
	whole := strings.Join(all, " ")
	delete(meant, whole)
	p.cut = len(whole) > maxPayload || len(meant) >= maxMeant
	room := maxCompared
	for _, text := range append([]string{whole}, slices.Sorted(maps.Keys(meant))...) {
		if room -= min(len(text), maxPayload); room < 0 {
			p.cut = true
			break
		}
		text = text[:min(len(text), maxPayload)]
		q := squeeze(text)
		p.add(q, reading{text: text})
		if turned, is := q.rotated(); is {
			p.add(turned, reading{text, rotated})
		}
		p.add(q.reversed(), reading{text, reversed})
	}
	if len(names) > 0 {
		p.join(names, 0)
		text := strings.Join(names, " ")
		p.cut = p.cut || len(text) > maxPayload
		text = text[:min(len(text), maxPayload)]
		p.add(squeeze(text), reading{text: text})
	}
	return p
}

// plain splits texts without looking for codes in them.
func plain(texts []string) (p payload) {
	p.join(texts, 0)
	text := strings.Join(texts, " ")
	text = text[:min(len(text), maxPayload)]
	p.add(squeeze(text), reading{text: text})
	return p
}

// join adds the short values that a text, or several texts in a row, make. The last of these is text number first or a
// later one.
func (p *payload) join(all []string, first int) {
	for i, text := range all {
		for j := i; j < len(all); j++ {
			if j > i {
				text += all[j]
			}
			if len(text) > 4*gramLength {
				break
			}
			if b := squeeze(text).bytes; len(b) >= minValue && len(b) < gramLength && j >= first {
				p.texts = append(p.texts, reading{text: text})
				p.put(b, 0, len(b))
			}
		}
	}
}

func few(b []byte) bool { return len(b) < minUnusual && hasDigit(b) }

// put adds a part of the last text.
func (p *payload) put(b []byte, i, j int) { p.hashed(hash(b[i:j]), b[i:j], i) }

// hashed adds a part of the last text that begins at from.
func (p *payload) hashed(h uint64, b []byte, from int) {
	if p.among == nil || p.among.has(h) {
		p.items = append(p.items,
			item{h, int32(len(p.texts) - 1), int32(from), int32(from + len(b)), few(b), hasDigit(b)})
	}
}

// add adds every passage, word and number of a text.
func (p *payload) add(q squeezed, of reading) {
	p.texts = append(p.texts, of)
	for i := 0; i+gramLength <= len(q.bytes); i++ {
		h := hash(q.bytes[i : i+gramLength])
		if p.hashed(h, q.bytes[i:i+gramLength], i); i+passageLength <= len(q.bytes) {
			p.hashed(more(h, q.bytes[i+gramLength:i+passageLength]), q.bytes[i:i+passageLength], i)
		}
	}
	for _, starts := range [][]bool{q.word, q.chunk, q.run} {
		q.parts(starts, func(i, j int) {
			if b := q.bytes[i:j]; len(b) < gramLength && (len(b) >= minWord || distinct(b)) {
				p.put(q.bytes, i, j)
			}
		})
	}
}

// quote returns the parts of the texts to which these items belong, for a person to read.
func (p *payload) quote(items []item) string {
	var parts []string
	var text string // the text with the number in, as it is read
	var q squeezed
	in := int32(-1)
	for i := 0; i < len(items) && len(parts) < 3; {
		is := items[i]
		for i++; i < len(items) && items[i].in == is.in && items[i].from <= is.to; i++ {
			is.to = max(is.to, items[i].to)
		}
		if is.in != in { // one text may have thousands of items
			in, text = is.in, p.texts[is.in].text
			if as := p.texts[in].as; as != nil {
				text = as(text)
			}
			q = squeeze(text)
		}
		from, to := q.original(int(is.from), int(is.to))
		part := strings.Join(strings.Fields(text[from:to]), " ")
		if runes := []rune(part); len(runes) > maxQuoted {
			part = string(runes[:maxQuoted]) + "…"
		}
		shown := func(other string) bool { return strings.Contains(other, part) }
		if slices.ContainsFunc(parts, shown) {
			continue
		}
		parts = append(slices.DeleteFunc(parts, func(other string) bool { return strings.Contains(part, other) }), part)
	}
	return strings.Join(parts, " … ")
}

var (
	escapes   = regexp.MustCompile(`(?i)%[0-9a-f]{2}|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x?[0-9a-f]{1,6};`)
	codes     = regexp.MustCompile(`\b\d{2,3}(?:[^0-9]{1,3}\d{2,3}\b){3,}`)
	base64URL = strings.NewReplacer("-", "+", "_", "/")
	notHex    = strings.NewReplacer(" ", "", ":", "", "-", "", ".", "", "_", "", ",", "", "/", "", "0x", "")
)

// runs yields the longest parts of a text that consist of at least least characters for which is returns true. A
// regular expression takes ten times as long.
func runs(text string, least int, is func(c byte) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			from := i
			for i < len(text) && is(text[i]) {
				i++
			}
			if i-from >= least && !yield(text[from:i]) {
				return
			}
		}
	}
}

func isBase64(c byte) bool { return isBase32(c) || '0' <= c && c <= '9' || c == '+' || c == '/' }
func isBase32(c byte) bool { return 'a' <= c|' ' && c|' ' <= 'z' || '2' <= c && c <= '7' }
func isHex(c byte) bool    { return 'a' <= c|' ' && c|' ' <= 'f' || '0' <= c && c <= '9' }

// decode adds to all what a text means in codes such as base64, hexadecimal and escapes.
func decode(text string, all map[string]bool, depth int) {
	text = text[:min(len(text), maxPayload)]
	add := func(meant string) {
		if len(all) < maxMeant && len(meant) >= minValue && meant != text && !all[meant] {
			all[meant] = true
			if depth > 1 {
				decode(meant, all, depth-1)
			}
		}
	}
	if strings.ContainsAny(text, `%\&`) {
		add(escapes.ReplaceAllStringFunc(text, unescape))
	}
	list := ""
	if strings.ContainsAny(text, "0123456789") { // the search takes longest
		list = codes.FindString(text)
	}
	if list != "" {
		var b strings.Builder
		for _, n := range strings.FieldsFunc(list, func(r rune) bool { return !unicode.IsDigit(r) }) {
			code, _ := strconv.Atoi(n)
			b.WriteRune(rune(code))
		}
		add(readable([]byte(b.String())))
	}
	close := notHex.Replace(text)
	for i, from := range []string{text, close} {
		if i > 0 && from == text {
			break
		}
		for run := range runs(base64URL.Replace(from), 6, isBase64) {
			if strings.ToLower(run) == run && !strings.ContainsAny(run, "0123456789") {
				continue // letters of one case are words
			}
			for skip := range 4 {
				b, _ := base64.RawStdEncoding.DecodeString(whole(run[skip:], 4))
				add(readable(b))
			}
		}
		for run := range runs(from, 8, isHex) {
			for skip := range 2 {
				b, _ := hex.DecodeString(whole(run[skip:], 2))
				add(readable(b))
			}
		}
		for run := range runs(from, 7, isBase32) {
			b, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(run))
			add(readable(b))
		}
	}
}

// whole returns a text without a last character that can't be decoded.
func whole(text string, group int) string {
	if len(text)%group == 1 {
		return text[:len(text)-1]
	}
	return text
}

// unescape decodes one match of escapes.
func unescape(is string) string {
	base, digits := 16, strings.TrimLeft(is, `%\xuXU&#`)
	if strings.HasPrefix(is, "&#") && !strings.ContainsAny(is[2:3], "xX") {
		base = 10
	}
	code, err := strconv.ParseUint(strings.TrimSuffix(digits, ";"), base, 21)
	switch {
	case err != nil:
		return is
	case is[0] == '%':
		return string([]byte{byte(code)})
	}
	return string(rune(code))
}

// readable returns the text with which decoded bytes begin, or "" if they begin with no text.
func readable(b []byte) string {
	for i, r := range string(b) {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return string(b[:i])
		}
	}
	return string(b)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func rotated(text string) string { return strings.Map(rot13, text) }

func reversed(text string) string {
	r := []rune(text)
	slices.Reverse(r)
	return string(r)
}
