package contract

import (
	"maps"
	"reflect"
	"slices"
)

// properties compares which properties there are, and which of them are required.
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

// texts are keywords that only tell.
var texts = []string{"title", "description", "default", "examples", "$comment", "deprecated", "$schema", "$id", "readOnly", "writeOnly"}

// Keywords that permit the less the greater their number is, and the other way round.
var (
	least = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
	most  = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
)

// keyword compares one keyword of two schemas, which differ in it.
func (d *differ) keyword(where, key string, was, is any, had, has bool) {
	at := where + "." + key
	switch {
	case slices.Contains(texts, key):
		d.add(Text, at, "%s became %s", value(was, had), value(is, has))
	case slices.Contains(least, key), slices.Contains(most, key):
		d.bound(at, slices.Contains(least, key), was, is, had, has)
	case key == "type":
		d.sets(at, types(was, had), types(is, has), "the type")
	case key == "enum":
		d.sets(at, values(was, had), values(is, has), "the value")
	case key == "items":
		if had && has {
			d.schemas(at, was, is)
			return
		}
		d.loose(at, was, is, had, has)
	default:
		d.loose(at, was, is, had, has)
	}
}

// bound compares limits.
func (d *differ) bound(at string, lower bool, was, is any, had, has bool) {
	a, ok1 := was.(float64)
	b, ok2 := is.(float64)
	switch {
	case had && !has:
		d.more(at, "the limit %s is gone", short(was))
	case !had:
		d.less(at, "the limit %s is new", short(is))
	case ok1 && ok2 && (b > a) == lower:
		d.less(at, "%s became %s", short(was), short(is))
	default:
		d.more(at, "%s became %s", short(was), short(is))
	}
}

// sets compares lists of what is permitted; nil permits all.
func (d *differ) sets(at string, was, is []any, what string) {
	switch {
	case was == nil:
		d.less(at, "it permits only %s now", short(is))
		return
	case is == nil:
		d.more(at, "it permits all now")
		return
	}
	for _, v := range was {
		if !permits(is, v) {
			d.less(at, "%s %s is gone", what, short(v))
		}
	}
	for _, v := range is {
		if !permits(was, v) {
			d.more(at, "%s %s is new", what, short(v))
		}
	}
}

// permits says whether a list has a value; of types, a number is an integer, too.
func permits(list []any, v any) bool {
	return slices.ContainsFunc(list, func(o any) bool {
		return reflect.DeepEqual(o, v) || v == "integer" && o == "number"
	})
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

// loose compares what isn't looked into: one that is gone permits more, one that is new or
// another permits less, as far as anyone can say.
func (d *differ) loose(at string, was, is any, had, has bool) {
	switch {
	case had && !has || is == true:
		d.more(at, "%s is gone", short(was))
	default:
		d.less(at, "%s became %s", value(was, had), value(is, has))
	}
}

func value(v any, there bool) string {
	if !there {
		return "nothing"
	}
	return short(v)
}
