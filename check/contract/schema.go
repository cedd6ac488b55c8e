package contract

import (
	"maps"
	"reflect"
	"slices"

	"webmcphub/check/lint"
)

// properties compares the properties of two schemas, and which of them are required.
func (d *differ) properties(where string, was, is map[string]any) {
	a, _ := was["properties"].(map[string]any)
	b, _ := is["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		at := where + ".properties." + name
		old, had := a[name]
		value, has := b[name]
		switch {
		case had && has:
			d.schemas(at, old, value)
		case had:
			d.add(Breaking, at, "the property is gone")
		default:
			d.add(Widening, at, "the property is new")
		}
	}
	before, after := names(was["required"]), names(is["required"])
	for _, name := range after {
		if !slices.Contains(before, name) {
			d.less(where+".required", "%q is required now", name)
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			d.more(where+".required", "%q is required no longer", name)
		}
	}
}

func names(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// Keywords whose greater number permits less, and keywords whose greater number permits more.
var (
	least = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
	most  = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
)

// keyword compares one keyword in which two schemas differ.
func (d *differ) keyword(where, key string, was, is any, had, has bool) {
	at := where + "." + key
	switch {
	case slices.Contains(texts, key):
		d.add(Text, at, "%s became %s", value(was, had), value(is, has))
	case slices.Contains(least, key), slices.Contains(most, key):
		d.bound(at, slices.Contains(least, key), was, is, had, has)
	case key == "type":
		d.sets(at, types(was, had), types(is, has), "the type", permitsType)
	case key == "enum":
		d.sets(at, values(was, had), values(is, has), "the value", permits)
	case had && has && same(was, is):
		d.add(Text, at, "its texts differ")
	case key == "anyOf", key == "oneOf":
		d.branches(at, list(was), list(is), had, has)
	case key == "allOf":
		d.conditions(at, list(was), list(is))
	case slices.Contains(named, key):
		d.parts(at, key, was, is)
	case had && has && slices.Contains(under, key):
		d.schemas(at, was, is)
	default:
		d.loose(at, was, is, had, has)
	}
}

// under are the keywords that hold one schema for a part of a value.
var under = []string{"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames",
	"contains"}

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

// nullable compares two schemas of which one is a list of branches, and the other one of these branches: for example,
// if null became permitted. It reports whether the two schemas are such a pair.
func (d *differ) nullable(where string, was, is map[string]any) bool {
	several := func(s map[string]any) []any {
		rest := bareMap(s)
		delete(rest, "anyOf")
		delete(rest, "oneOf")
		if len(rest) > 0 {
			return nil
		}
		return slices.Concat(list(s["anyOf"]), list(s["oneOf"]))
	}
	before, after := several(was), several(is)
	switch has := func(branches []any, s any) bool {
		return slices.ContainsFunc(branches, func(b any) bool { return same(b, s) })
	}; {
	case before == nil && len(after) > 0 && has(after, was):
		d.more(where, "there are other forms of it, too: %s", lint.Short(is, 80))
	case after == nil && len(before) > 0 && has(before, is):
		d.less(where, "there are no other forms of it any more: %s became %s", lint.Short(was, 80), lint.Short(is, 80))
	default:
		return false
	}
	return true
}

// unmatched returns the branches that are not in others.
func unmatched(branches, others []any) (rest []any) {
	for _, b := range branches {
		if !slices.ContainsFunc(others, func(o any) bool { return same(o, b) }) {
			rest = append(rest, b)
		}
	}
	return rest
}

// branches compares lists of schemas of which one must match. No list permits everything.
func (d *differ) branches(at string, was, is []any, had, has bool) {
	switch {
	case !had:
		d.less(at, "it has to be one of %s now", lint.Short(is, 80))
	case !has:
		d.more(at, "it need not be one of %s any more", lint.Short(was, 80))
	default:
		before, after := d.unpaired(at, was, is)
		for _, b := range before {
			d.less(at, "%s is gone", lint.Short(b, 80))
		}
		for _, b := range after {
			d.more(at, "%s is new", lint.Short(b, 80))
		}
	}
}

// conditions compares lists of schemas that must all match.
func (d *differ) conditions(at string, was, is []any) {
	before, after := d.unpaired(at, was, is)
	for _, b := range before {
		d.more(at, "%s need not hold any more", lint.Short(b, 80))
	}
	for _, b := range after {
		d.less(at, "%s has to hold now", lint.Short(b, 80))
	}
}

// unpaired returns the schemas of each list that the other one lacks. If each lacks one, unpaired compares these two
// and returns none. If neither lacks any, it notes that texts or the order differ.
func (d *differ) unpaired(at string, was, is []any) (before, after []any) {
	before, after = unmatched(was, is), unmatched(is, was)
	switch {
	case len(before) == 1 && len(after) == 1:
		d.schemas(at, before[0], after[0])
		return nil, nil
	case len(before)+len(after) == 0:
		d.add(Text, at, "its texts, or their order, differ")
	}
	return before, after
}

// parts compares named schemas other than properties.
func (d *differ) parts(where, key string, was, is any) {
	a, _ := was.(map[string]any)
	b, _ := is.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		at := where + "." + name
		old, had := a[name]
		value, has := b[name]
		switch {
		case had && has:
			d.schemas(at, old, value)
		case key == "$defs" || key == "definitions":
			d.add(Text, at, "a definition came or went; where it is used says what comes of it")
		case had:
			d.more(at, "the condition %s is gone", lint.Short(old, 80))
		default:
			d.less(at, "the condition %s is new", lint.Short(value, 80))
		}
	}
}

// bound compares a limit.
func (d *differ) bound(at string, lower bool, was, is any, had, has bool) {
	a, ok1 := was.(float64)
	b, ok2 := is.(float64)
	switch {
	case had && !has:
		d.more(at, "the limit %s is gone", lint.Short(was, 80))
	case !had:
		d.less(at, "the limit %s is new", lint.Short(is, 80))
	case ok1 && ok2 && (b > a) == lower:
		d.less(at, "%s became %s", lint.Short(was, 80), lint.Short(is, 80))
	default:
		d.more(at, "%s became %s", lint.Short(was, 80), lint.Short(is, 80))
	}
}

// sets compares lists of permitted values; nil permits all values.
func (d *differ) sets(at string, was, is []any, what string, permits func([]any, any) bool) {
	switch {
	case was == nil:
		d.less(at, "it permits only %s now", lint.Short(is, 80))
		return
	case is == nil:
		d.more(at, "it permits all now")
		return
	}
	for _, v := range was {
		if !permits(is, v) {
			d.less(at, "%s %s is gone", what, lint.Short(v, 80))
		}
	}
	for _, v := range is {
		if !permits(was, v) {
			d.more(at, "%s %s is new", what, lint.Short(v, 80))
		}
	}
}

// permits reports whether a list has a value.
func permits(list []any, v any) bool {
	return slices.ContainsFunc(list, func(o any) bool { return reflect.DeepEqual(o, v) })
}

// permitsType reports whether a list of types includes a type. The type number includes integer.
func permitsType(list []any, v any) bool {
	return permits(list, v) || v == "integer" && permits(list, "number")
}

func types(v any, there bool) []any {
	if s, ok := v.(string); ok && there {
		return []any{s}
	}
	return values(v, there)
}

func values(v any, there bool) []any {
	list, ok := v.([]any)
	if !there || !ok {
		return nil
	}
	return list
}

// loose compares a keyword whose value it can't interpret. It assumes that removing the keyword permits more, and that
// adding or changing it permits less.
func (d *differ) loose(at string, was, is any, had, has bool) {
	switch {
	case had && !has || is == true:
		d.more(at, "%s is gone", lint.Short(was, 80))
	default:
		d.less(at, "%s became %s", value(was, had), value(is, has))
	}
}

func value(v any, there bool) string {
	if !there {
		return "nothing"
	}
	return lint.Short(v, 80)
}
