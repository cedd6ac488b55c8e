package contract

import (
	"maps"
	"reflect"
	"slices"
)

// texts are keywords without effect on validation.
var texts = []string{"title", "description", "default", "examples", "$comment", "deprecated", "$schema", "$id",
	"readOnly", "writeOnly", labels}

// labels is the keyword under which normal keeps the titles of a list of values.
const labels = "titles"

// named are keywords whose members are schemas, by names.
var named = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

// normal returns a schema without meaningless parts. It writes each list of values in one form, although schemas can
// write them in several: Chrome writes a form's choices as anyOf and as enum.
func normal(v any) any {
	if v == true {
		return map[string]any{}
	}
	is, ok := v.(map[string]any)
	if !ok {
		return v
	}
	is = maps.Clone(is)
	for _, key := range []string{"minLength", "minItems", "minProperties"} {
		if is[key] == 0.0 {
			delete(is, key)
		}
	}
	if is["uniqueItems"] == false {
		delete(is, "uniqueItems")
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties", "items"} {
		if of, ok := normal(is[key]).(map[string]any); ok && len(bareMap(of)) == 0 {
			delete(is, key)
		}
	}
	if value, ok := is["const"]; ok && is["enum"] == nil {
		is["enum"] = []any{value}
		delete(is, "const")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		values, titles, ok := choices(is[key])
		if !ok {
			continue
		}
		if is["enum"] == nil {
			is["enum"] = values
		}
		is[labels] = titles
		delete(is, key)
	}
	return is
}

// choices returns the values and the titles of branches; ok says that each branch is just a value with a title.
func choices(branches any) (values, titles []any, ok bool) {
	list, _ := branches.([]any)
	for _, one := range list {
		branch, _ := one.(map[string]any)
		value, fixed := branch["const"]
		rest := bareMap(branch)
		delete(rest, "const")
		delete(rest, "type")
		if !fixed || len(rest) > 0 {
			return nil, nil, false
		}
		values = append(values, value)
		titles = append(titles, map[string]any{"value": value, "title": branch["title"],
			"description": branch["description"]})
	}
	return values, titles, len(list) > 0
}

// bare returns a schema, or a list of schemas, without keywords that don't affect validation.
func bare(v any) any {
	switch v := normal(v).(type) {
	case map[string]any:
		return bareMap(v)
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = bare(one)
		}
		return all
	default:
		return v
	}
}

func bareMap(is map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range is {
		fields, isMap := value.(map[string]any)
		switch {
		case slices.Contains(texts, key):
		case key == "enum" || key == "const":
			all[key] = value
		case key == "required" && reflect.DeepEqual(value, []any{}):
		case slices.Contains(named, key) && isMap:
			some := map[string]any{}
			for name, one := range fields {
				some[name] = bare(one)
			}
			if len(some) > 0 {
				all[key] = some
			}
		default:
			all[key] = bare(value)
		}
	}
	return all
}

// same reports whether two schemas are equal or differ only in texts.
func same(a, b any) bool { return reflect.DeepEqual(bare(a), bare(b)) }
