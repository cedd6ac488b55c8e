package pins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxVariants is how many accepted definitions of one name a changed description is compared with: those that were
// accepted last.
const maxVariants = 16

// Change describes the differences for an agent between a definition and an accepted one. The zero value means that
// they are the same.
type Change struct {
	Held  []string // changes that a person has to accept
	Noted []string // harmless changes, which tell an agent nothing new to do
}

// Same reports whether nothing has changed.
func (c Change) Same() bool { return len(c.Held)+len(c.Noted) == 0 }

// Compare compares a definition with all accepted ones of its name, the last one last. It returns the mildest change.
// isTool, which may be nil, reports whether there is a tool of a name.
//
// These are held: a parameter that becomes required or optional; another type, pattern, default or lower limit; a
// parameter that is gone while another one comes; hints that make the tool look safer; the script of another site; and
// each text that says something new (see [texts]).
func Compare(accepted []*Definition, is *Definition, isTool func(name string) bool) (best Change) {
	if len(accepted) == 0 {
		return Change{Held: []string{"the name is new"}}
	}
	latest := accepted[max(0, len(accepted)-maxVariants):]
	x := &comparison{is: is, texts: texts{name: is.Name, accepted: latest, isTool: isTool}}
	for i := len(accepted) - 1; i >= 0; i-- {
		was := accepted[i]
		if was.Description != is.Description && i < len(accepted)-maxVariants {
			continue
		}
		all := []*Definition{was}
		if len(is.OutputSchema)+len(is.Meta) == 0 && len(was.OutputSchema)+len(was.Meta) > 0 {
			all = append(all, was.native())
		}
		for _, candidate := range all {
			c := x.with(candidate, latest)
			if c.Same() {
				return c
			}
			if best.Same() || len(c.Held) < len(best.Held) {
				best = c
			}
		}
	}
	if best.Same() { // it wasn't compared with any definition
		best.Held = []string{"the description is new"}
	}
	return best
}

// eachString calls f with every string in JSON, including members' names.
func eachString(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachString(e, f)
		}
	case map[string]any:
		for name, e := range v {
			f(name)
			eachString(e, f)
		}
	}
}

// comparison compares one definition with others.
type comparison struct {
	is *Definition
	texts
	Change
}

func (x *comparison) hold(format string, args ...any) {
	x.Held = append(x.Held, fmt.Sprintf(format, args...))
}
func (x *comparison) note(format string, args ...any) {
	x.Noted = append(x.Noted, fmt.Sprintf(format, args...))
}

// text notes or holds a change of a text; why says what is wrong with it, or is "".
func (x *comparison) text(what, why string) {
	if why != "" {
		x.hold("%s %s", what, why)
		return
	}
	x.note("%s has changed", what)
}

// with compares x.is with one accepted definition. variants are the definitions that were accepted last.
func (x *comparison) with(was *Definition, variants []*Definition) Change {
	x.Change = Change{}
	is := x.is
	if was.Name != is.Name {
		x.hold("the name is new")
	}
	if is.Title != "" && is.Title != was.Title {
		x.text("the title", x.title(was.Title, is.Title))
	}
	if was.Description != is.Description {
		accepted := []string{was.Description}
		for _, v := range variants {
			if !slices.Contains(accepted, v.Description) {
				accepted = append(accepted, v.Description)
			}
		}
		x.text("the description", x.changed(accepted, is.Description, description))
	}
	if len(is.InputSchema) > 0 {
		x.json(was.InputSchema, is.InputSchema, "the input schema", x.schema)
	}
	x.json(was.OutputSchema, is.OutputSchema, "the output schema", x.output)
	x.json(was.Meta, is.Meta, "_meta", x.output)
	x.hints(was.Annotations, is.Annotations)
	if is.ThirdParty != "" && is.ThirdParty != was.ThirdParty {
		x.hold("a script of another site registers it")
	}
	if is.NoOrigin != was.NoOrigin {
		x.hold("another kind of document registers it")
	}
	return x.Change
}

// safer has the value of each hint, in the order of hintNames, that makes a tool look safer.
var safer = [...]bool{true, false, true, false, false, false}

// hints compares hints. A missing hint looks less safe than the safer value, and safer than the other one.
func (x *comparison) hints(was, is Annotations) {
	safety := func(h *bool, safe bool) int {
		switch {
		case h == nil:
			return 1
		case *h == safe:
			return 2
		}
		return 0
	}
	from, to := was.all(), is.all()
	for i, name := range hintNames {
		a, b := *from[i], *to[i]
		switch {
		case hint(a) == hint(b):
		case i < len(safer) && safety(b, safer[i]) > safety(a, safer[i]):
			x.hold("%s makes it look safer", name)
		default:
			x.note("%s has changed", name)
		}
	}
}

// json compares two JSON texts by compare. It holds the change if readers may interpret the new text in several ways.
func (x *comparison) json(was, is json.RawMessage, what string, compare func(path string, was, is any)) {
	if bytes.Equal(was, is) || bytes.Equal(canonical(was), canonical(is)) {
		return
	}
	if len(is) > 0 && repeats(is) {
		x.hold("%s can be read in several ways", what)
		return
	}
	compare(what, decode(was), decode(is))
}

// repeats reports whether JSON has no canonical form, for example because an object has a name twice.
func repeats(raw json.RawMessage) bool {
	c := canon{in: raw, out: make([]byte, 0, len(raw))}
	c.value(0)
	return c.next() != end || c.odd
}

// schema compares two JSON Schemas.
func (x *comparison) schema(path string, was, is any) {
	a, isA := was.(map[string]any)
	b, isB := is.(map[string]any)
	if !isA || !isB {
		if !equal(was, is) {
			x.hold("%s is another one", path)
		}
		return
	}
	for _, key := range union(a, b) {
		old, new := member1(a, key), member1(b, key)
		if !equal(old, new) {
			x.keyword(path, key, old, new)
		}
	}
}

// keyword compares the values of one keyword in two schemas.
func (x *comparison) keyword(path, key string, old, new any) {
	at := path + " › " + bare(key)
	switch key {
	case "properties":
		x.properties(path, old, new)
	case "description", "title":
		x.words(at, old, new)
	case "enum", "examples":
		x.values(at, old, new)
	case "maximum", "exclusiveMaximum", "maxItems":
		x.limit(at, old, new, true)
	case "minimum", "exclusiveMinimum", "minItems", "minLength", "maxLength":
		x.limit(at, old, new, false)
	case "additionalProperties", "unevaluatedProperties":
		if equal(new, false) {
			x.note("%s is stricter", at)
			return
		}
		x.hold("%s permits more", at)
	case "items", "contains", "then", "else", "if", "not":
		x.schema(at, old, new)
	case "oneOf", "anyOf":
		x.options(at, old, new)
	case "pattern":
		was, _ := old.(string)
		if s, _ := new.(string); was == "" || s == "" || withoutCounts(was) != withoutCounts(s) {
			x.hold("%s is another one", at)
			return
		}
		x.note("%s has changed", at)
	case "required", "type":
		if !equal(sorted(old), sorted(new)) {
			x.hold("%s is another one", at)
		}
	default:
		x.hold("%s is another one", at)
	}
}

// withoutCounts returns a pattern without its numbers, such as years. Numbers in braces stay, because they say how long
// a text may be.
func withoutCounts(pattern string) string {
	within := false
	return strings.Join(strings.FieldsFunc(pattern, func(r rune) bool {
		within = r == '{' || within && r != '}'
		return !within && r >= '0' && r <= '9'
	}), "0")
}

// properties compares the parameters of two schemas, but not which of them are required.
func (x *comparison) properties(path string, old, new any) {
	a, isA := old.(map[string]any)
	b, isB := new.(map[string]any)
	if _, none := old.(nothing); none {
		a, isA = map[string]any{}, true
	}
	if _, none := new.(nothing); none {
		b, isB = map[string]any{}, true
	}
	if !isA || !isB {
		x.hold("%s › properties is another one", path)
		return
	}
	var gone, come []string
	for _, name := range union(a, b) {
		was, is := member1(a, name), member1(b, name)
		switch {
		case is == nothing{}:
			gone = append(gone, name)
		case was == nothing{}:
			come = append(come, name)
		case !equal(was, is):
			x.schema(path+" › properties › "+bare(name), was, is)
		}
	}
	if len(gone) > 0 && len(come) > 0 {
		x.hold("%s has the parameter %s, and no longer %s", path, bare(come[0]), bare(gone[0]))
		return
	}
	for _, name := range gone {
		x.note("%s no longer has the parameter %s", path, bare(name))
	}
	for _, name := range come {
		what := path + " › properties › " + bare(name)
		if why := x.added(name, b[name]); why != "" {
			x.hold("%s is new and %s", what, why)
		} else {
			x.note("%s is new", what)
		}
	}
}

// added says why a person has to accept a new parameter, or returns "". A free text can carry anything, so its name
// must consist of words for filters of results.
func (x *comparison) added(name string, is any) string {
	schema, ok := is.(map[string]any)
	if !ok {
		return "says nothing of what it takes"
	}
	_, hasEnum := schema["enum"]
	named := x.fresh
	if hasEnum || schema["type"] == "boolean" { // it can carry only one of few values
		named = x.value
	}
	if why := named(name); why != "" {
		return "its name " + why
	}
	for key, v := range schema {
		switch key {
		case "description", "title":
			s, ok := v.(string)
			if why := x.fresh(s); !ok || why != "" {
				return "its " + key + " " + why
			}
		case "enum", "examples":
			if why := x.choices(v); why != "" {
				return why
			}
		case "default":
			if !equal(v, false) && v != nil && v != "" && v != json.Number("0") && v != json.Number("1") {
				return "has a default"
			}
		case "format":
			if v != "date" && v != "time" && v != "date-time" {
				return "has the format " + shown(v)
			}
		case "items":
			if why := x.added(name, v); why != "" {
				return why
			}
		case "type":
			if !slices.Contains([]any{"boolean", "integer", "number", "string", "array"}, v) {
				return "has the type " + shown(v)
			}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems",
			"maxItems", "uniqueItems", "multipleOf":
		default:
			return "has " + bare(key)
		}
	}
	_, hasType := schema["type"]
	_, hasFormat := schema["format"]
	if !hasType && !hasEnum || schema["type"] == "string" && !hasEnum && !hasFormat && !x.narrows(name) {
		return "takes any text"
	}
	return ""
}

// narrows reports whether each part of a parameter's name is a word for filters of results.
func (x *comparison) narrows(name string) bool {
	for _, p := range pieces(name) {
		if !lexicon().plain[newToken(p).norm] {
			return false
		}
	}
	return true
}

// words compares two texts of a schema.
func (x *comparison) words(at string, old, new any) {
	was, had := old.(string)
	is, has := new.(string)
	switch {
	case had && has:
		x.text(at, x.changed([]string{was}, is, parameter))
	case has:
		x.text(at, x.fresh(is))
	case had && x.steers(tokens(was), parameter) == "":
		x.note("%s is gone", at)
	default:
		x.hold("%s is gone", at)
	}
}

// values compares the values that a parameter may have.
func (x *comparison) values(at string, old, new any) {
	a, _ := old.([]any)
	b, isB := new.([]any)
	if !isB || len(b) == 0 {
		x.hold("%s no longer limits it", at)
		return
	}
	come := slices.DeleteFunc(slices.Clone(b),
		func(v any) bool { return slices.ContainsFunc(a, func(o any) bool { return equal(o, v) }) })
	if why := x.choices(come); why != "" {
		x.hold("%s %s", at, why)
		return
	}
	x.note("%s has changed", at)
}

// choices says why a person has to accept new values of a parameter, or returns "".
func (x *comparison) choices(of any) string {
	all, ok := of.([]any)
	if !ok {
		return "is no list"
	}
	for _, v := range all {
		switch v := v.(type) {
		case string:
			if why := x.value(v); why != "" {
				return "has a value that " + why
			}
		case json.Number, bool, nil:
		default:
			return "has a value that is no word"
		}
	}
	return ""
}

// options compares two lists of schemas that represent choices with titles.
func (x *comparison) options(at string, old, new any) {
	a, isA := old.([]any)
	b, isB := new.([]any)
	if !isA || !isB {
		x.hold("%s is another one", at)
		return
	}
	for _, v := range b {
		if slices.ContainsFunc(a, func(o any) bool { return equal(o, v) }) {
			continue
		}
		option, _ := v.(map[string]any)
		if _, has := option["const"]; !has {
			x.hold("%s has an option of another kind", at)
			return
		}
		for key, v := range option {
			why := x.choices([]any{v})
			if why != "" || !slices.Contains([]string{"const", "title", "description"}, key) {
				x.hold("%s has an option whose %s %s", at, bare(key), why)
				return
			}
		}
	}
	x.note("%s has changed", at)
}

// limit compares two limits. With grows the limit may grow, as when there is more in stock; otherwise it may shrink.
func (x *comparison) limit(at string, old, new any, grows bool) {
	was, had := number64(old)
	is, has := number64(new)
	switch {
	case grows && has, had && has && is < was, !has && !grows && !strings.HasSuffix(at, "maxLength"),
		!had && strings.HasSuffix(at, "maxLength"):
		x.note("%s has changed", at)
	default:
		x.hold("%s permits less than it did, or more", at)
	}
}

func number64(v any) (float64, bool) {
	n, is := v.(json.Number)
	if !is {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// output compares two output schemas, or other JSON that no agent fills in. Only the texts in it count.
func (x *comparison) output(path string, was, is any) {
	a, isA := was.(map[string]any)
	b, isB := is.(map[string]any)
	if isA && isB {
		for _, key := range union(a, b) {
			old, new := member1(a, key), member1(b, key)
			if equal(old, new) {
				continue
			}
			if why := x.fresh(key); old == (nothing{}) && why != "" && !keywords[key] {
				x.hold("%s has a member that %s", path, why)
				continue
			}
			x.output(path+" › "+bare(key), old, new)
		}
		return
	}
	if s, both := was.(string); both {
		if t, both := is.(string); both {
			x.text(path, x.changed([]string{s}, t, parameter))
			return
		}
	}
	known := map[string]bool{}
	eachString(was, func(s string) { known[s] = true })
	why := ""
	eachString(is, func(s string) {
		if !known[s] && !keywords[s] && why == "" {
			why = x.fresh(s)
		}
	})
	x.text(path, why)
}

// keywords are the words of JSON Schema that tell a reader nothing.
var keywords = set("type properties required items description title enum format object string number integer boolean " +
	"array null additionalProperties minimum maximum date date-time anyOf oneOf const default")

func union(a, b map[string]any) []string {
	both := maps.Clone(a)
	if both == nil {
		both = map[string]any{}
	}
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// sorted returns a list of texts in order, and anything else as it is.
func sorted(v any) any {
	list, is := v.([]any)
	if !is {
		return v
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(shown(a), shown(b)) })
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
