package pins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// Limits of the description of a difference.
const (
	maxQuoted      = 300 // bytes of each text
	maxDifferences = 12
)

// Differences says in words how a definition differs from an earlier one: one line for each difference, at most
// maxDifferences lines. Pages' texts are quoted, and can't end the quotation. The last line counts the differences
// that were left out.
func Differences(was, is *Definition) []string {
	var all differences
	if was.Name != is.Name {
		all.add("its name was %s and is %s", Quote(was.Name), Quote(is.Name))
	}
	all.text("title", was.Title, is.Title)
	all.text("description", was.Description, is.Description)
	all.json("input schema", was.InputSchema, is.InputSchema)
	all.json("output schema", was.OutputSchema, is.OutputSchema)
	from, to := was.Annotations.all(), is.Annotations.all()
	for i, name := range hintNames {
		if a, b := hint(*from[i]), hint(*to[i]); a != b {
			all.add("%s was %s and is %s", name, a, b)
		}
	}
	all.json("_meta", was.Meta, is.Meta)
	if was.ThirdParty != is.ThirdParty && is.ThirdParty != "" {
		all.add("it is registered by a script of %s now, not by %s", Quote(is.ThirdParty), whoseScript(was))
	}
	if is.NoOrigin && !was.NoOrigin {
		all.add("it is a frame's without an origin of its own now")
	}
	return all.texts()
}

func whoseScript(d *Definition) string {
	if d.ThirdParty == "" {
		return "one of the site"
	}
	return "one of " + Quote(d.ThirdParty)
}

func hint(h *bool) string {
	if h == nil {
		return "not said"
	}
	return strconv.FormatBool(*h)
}

type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d differences) texts() []string {
	if over := len(d) - maxDifferences; over > 0 {
		return append(slices.Clone(d[:maxDifferences]), fmt.Sprintf("and %d more differences", over))
	}
	return d
}

// text compares two texts, and shows the part in which they differ.
func (d *differences) text(what, was, is string) {
	switch {
	case was == is:
	case was == "":
		d.add("its %s was empty and is %s", what, Quote(is))
	case is == "":
		d.add("its %s was %s and is empty", what, Quote(was))
	default:
		a, b := changedPart(was, is)
		d.add("its %s was %s and is %s", what, a, b)
	}
}

// changedPart quotes the words in which two texts differ, with three words around them.
func changedPart(was, is string) (string, string) {
	a, b := words(was), words(is)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	end := 0
	for end < min(len(a), len(b))-same && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	from, to := max(0, same-3), max(0, end-3)
	if from == 0 && to == 0 {
		return Quote(was), Quote(is)
	}
	part := func(of []string) string {
		text := strings.Join(of[from:len(of)-to], "")
		if from > 0 {
			text = "… " + strings.TrimLeft(text, " \t\n")
		}
		if to > 0 {
			text = strings.TrimRight(text, " \t\n") + " …"
		}
		return Quote(text)
	}
	return part(a), part(b)
}

// words splits a text after each space.
func words(s string) []string { return strings.SplitAfter(s, " ") }

// Quote returns a page's text in quotation marks, on one line and without characters that could deceive a reader. It
// says how many bytes it left out.
func Quote(s string) string {
	text, left := s, 0
	if len(text) > maxQuoted {
		end := maxQuoted
		for end > 0 && text[end]&0xC0 == 0x80 {
			end--
		}
		text, left = text[:end], len(s)-end
	}
	quoted := strconv.Quote(sanitize.Text(text, 4*maxQuoted))
	if left > 0 {
		quoted += fmt.Sprintf(" and %d bytes more", left)
	}
	return quoted
}

// quoteShort quotes a name from a page or an address, for use within one of the hub's marks. The name can't end the
// mark.
func quoteShort(s string) string {
	return strconv.Quote(strings.Map(func(r rune) rune {
		if r == '[' || r == ']' || r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, sanitize.Text(s, 100)))
}

// json compares two JSON texts member by member.
func (d *differences) json(what string, was, is json.RawMessage) {
	if bytes.Equal(canonical(was), canonical(is)) {
		return
	}
	before, after := len(*d), maxNesting
	d.values(what, decode(was), decode(is), after)
	if len(*d) == before { // they differ in something that decoding drops, such as a second member of the same name
		d.add("its %s is written in another way", what)
	}
}

// nothing stands for a value that is not there.
type nothing struct{}

func decode(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nothing{}
	}
	r := json.NewDecoder(bytes.NewReader(raw))
	r.UseNumber()
	var v any
	if r.Decode(&v) != nil {
		return string(raw)
	}
	return v
}

// values compares two values at a path. It compares objects member by member.
func (d *differences) values(path string, was, is any, depth int) {
	a, isA := was.(map[string]any)
	b, isB := is.(map[string]any)
	if isA && isB && depth > 0 {
		both := maps.Clone(a)
		maps.Copy(both, b)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			d.values(path+" › "+bare(name), member1(a, name), member1(b, name), depth-1)
		}
		return
	}
	switch from, to := shown(was), shown(is); {
	case from == to:
	case was == nothing{}:
		d.add("its %s is new: %s", path, to)
	case is == nothing{}:
		d.add("its %s is gone; it was %s", path, from)
	default:
		d.add("its %s was %s and is %s", path, from, to)
	}
}

func member1(o map[string]any, name string) any {
	if v, there := o[name]; there {
		return v
	}
	return nothing{}
}

// bare returns a member's name for a path. It quotes the name unless it is a plain word.
func bare(name string) string {
	plain := name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '$' && r != '-'
	})
	if plain {
		return name
	}
	return Quote(name)
}

// shown returns a value, quoted.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return Quote(v)
	case nothing:
		return "not there"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "what can't be shown"
	}
	return Quote(string(raw))
}
