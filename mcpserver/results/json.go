package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// JSON shortens a value, which must be valid JSON, to about max tokens at most. missing says in words what is
// missing, for the first few places. Lists keep as many of their first items as there is room for. Objects keep all
// of their members, as long as the names fit. Texts keep their beginning. With counts, each shortened list and object
// ends with how much of it is missing. ok is false if the value can't be shortened that far.
func JSON(value json.RawMessage, max int, counts bool) (short json.RawMessage, missing []string, ok bool) {
	value = bytes.TrimSpace(value)
	if fits(string(value), max) {
		return value, nil, true
	}
	short, missing, _, ok = shorten(value, max, counts)
	return short, missing, ok
}

// shorten does what JSON does for a value that is too long. work is how many bytes it has looked at.
func shorten(value json.RawMessage, max int, counts bool) (short json.RawMessage, missing []string, work int, ok bool) {
	// A part of the value has about as many tokens per byte as the whole.
	sample := value[:min(len(value), 64<<10)]
	room := int(float64(max) * float64(len(sample)) / float64(tokencount.Estimate(sample)))
	room = min(room, len(value)) // the beginning may be blanks
	for range 16 {
		s := shortener{counts: counts, work: work}
		short = s.value(value, room, "")
		work = s.work
		is := tokencount.Estimate(short)
		if is <= max && json.Valid(short) {
			return short, s.missing, work, true
		}
		if is > 4*max {
			room /= 4
		} else {
			room = room * 4 / 5
		}
	}
	return nil, nil, work, false
}

// maxMissing is how many shortened places a notice names.
const maxMissing = 5

// maxPlace is the maximum length in bytes of a place's name.
const maxPlace = 100

// countRoom is about how long a count is.
const countRoom = 48

// minRoom is the least that a part may be shortened to, in bytes.
const minRoom = 16

// maxWork is how many bytes a shortener reads for one value, in all attempts together. It reads a nested value once
// for each level above it.
const maxWork = 128 << 20

// shortener shortens values to a number of bytes.
type shortener struct {
	counts  bool
	work    int // bytes looked at
	missing []string
}

func (s *shortener) note(at, format string, args ...any) {
	if at = place(at); at == "" {
		at = "the result"
	}
	if len(s.missing) < maxMissing {
		s.missing = append(s.missing, at+" "+fmt.Sprintf(format, args...))
	}
}

// value shortens a value to about room bytes. at is the value's place.
func (s *shortener) value(value json.RawMessage, room int, at string) json.RawMessage {
	value = bytes.TrimSpace(value)
	room = max(room, minRoom)
	if len(value) <= room {
		return value
	}
	if value[0] == '"' {
		return s.text(value, room, at)
	}
	if value[0] != '[' && value[0] != '{' {
		return value
	}
	if s.work+len(value) > maxWork {
		s.note(at, "is left out, because it is nested too deeply")
		return sanitize.Encode("… " + counted(len(value), "byte") + " more")
	}
	s.work += len(value)
	if value[0] == '[' {
		return s.array(value, room, at)
	}
	return s.object(value, room, at)
}

func (s *shortener) array(value json.RawMessage, room int, at string) json.RawMessage {
	left := room - countRoom
	out := []byte{'['}
	kept, all := 0, 0
	for item := range jsonrpc.Elements(value) {
		if all++; kept < all-1 {
			continue // it is only counted
		}
		if len(item)+1 > left {
			if all > 1 {
				continue
			}
			item = s.value(item, left, within(at))
		}
		if kept++; kept > 1 {
			out = append(out, ',')
		}
		out = append(out, item...)
		left -= len(item) + 1
	}
	if kept < all {
		s.note(at, "has %s of its %s", number(kept), counted(all, "item"))
		if s.counts {
			out = append(out, ',')
			out = append(out, sanitize.Encode(fmt.Sprintf("… %s more of %s", number(all-kept),
				counted(all, "item")))...)
		}
	}
	return append(out, ']')
}

func (s *shortener) object(value json.RawMessage, room int, at string) json.RawMessage {
	type member struct {
		name  string
		value json.RawMessage
	}
	var all []member
	var sizes []int
	names := 0
	for name, v := range jsonrpc.Members(value) {
		all = append(all, member{name, v})
		sizes = append(sizes, len(v))
		names += len(name) + 4
	}
	shares := Shares(sizes, room-names)
	many := names+len(all)*minRoom > room // not even their names fit
	out := []byte{'{'}
	kept := 0
	for i, m := range all {
		if many {
			shares[i] = room / 8
		}
		if many && kept > 0 && len(out)+len(m.name)+min(len(m.value), shares[i])+countRoom > room {
			break
		}
		if kept++; kept > 1 {
			out = append(out, ',')
		}
		out = append(sanitize.AppendJSON(out, m.name), ':')
		out = append(out, s.value(m.value, shares[i], inside(at, m.name))...)
	}
	if kept < len(all) {
		s.note(at, "has %s of its %s", number(kept), counted(len(all), "member"))
		if s.counts {
			out = append(out, fmt.Sprintf(`,"…":"%s more of %s"`, number(len(all)-kept),
				counted(len(all), "member"))...)
		}
	}
	return append(out, '}')
}

func (s *shortener) text(value json.RawMessage, room int, at string) json.RawMessage {
	text, is := jsonrpc.Text(value)
	if !is {
		return value
	}
	// Characters that JSON escapes take more room than their bytes.
	keep := int(float64(len(text)) * float64(max(room-countRoom, 0)) / float64(len(value)))
	for keep > 0 && !utf8.RuneStart(text[keep]) {
		keep--
	}
	short := sanitize.Encode(text[:keep] + fmt.Sprintf("… [%s more]",
		counted(utf8.RuneCountInString(text[keep:]), "character")))
	if len(short) >= len(value) {
		return value
	}
	s.note(at, "has the first %s of its %s", number(utf8.RuneCountInString(text[:keep])),
		counted(utf8.RuneCountInString(text), "character"))
	return short
}

// inside returns the place of a member. A place that is already too long to be shown doesn't become longer.
func inside(at, name string) string {
	switch {
	case len(at) > maxPlace:
		return at
	case at != "":
		at += "."
	}
	return at + name[:min(len(name), maxPlace)]
}

// place returns a place for the reader. The names of members are the page's. A place that doesn't consist of plain
// names is quoted, so that nobody takes it for words of the hub.
func place(at string) string {
	at = sanitize.Text(at, maxPlace)
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.$[]…", r)
	}
	if strings.ContainsFunc(at, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(at)
	}
	return at
}

// within returns the place of a list's first item.
func within(at string) string {
	if len(at) > maxPlace {
		return at
	}
	return at + "[0]"
}

// Shares divides a total among parts. A part that wants less than an equal share gets what it wants, and the others
// share what is left.
func Shares(wants []int, total int) []int {
	shares := make([]int, len(wants))
	open := len(wants)
	done := make([]bool, len(wants))
	for total = max(total, 0); open > 0; {
		equal, settled := total/open, false
		for i, want := range wants {
			if !done[i] && want <= equal {
				shares[i], done[i], settled = want, true, true
				total -= want
				open--
			}
		}
		if settled {
			continue
		}
		for i := range wants {
			if !done[i] {
				shares[i] = equal
			}
		}
		break
	}
	return shares
}
