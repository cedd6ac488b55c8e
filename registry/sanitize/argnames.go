package sanitize

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Model APIs refuse a whole request for one argument whose name is longer than maxArgument or has characters other
// than A-Z, a-z, 0-9, _, . and -.
const maxArgument = 64

func portableArgument(name string) bool {
	return name != "" && len(name) <= maxArgument && !strings.ContainsFunc(name, oddInArgument)
}

func oddInArgument(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
}

// renameArguments gives the arguments of a schema that is otherwise clean names that model APIs accept. The
// description of a renamed argument contains the page's name for it. pageNames maps the new names to the page's.
func renameArguments(schema json.RawMessage) (renamed json.RawMessage, pageNames map[string]string) {
	var root, properties map[string]json.RawMessage
	if json.Unmarshal(schema, &root) != nil || json.Unmarshal(root["properties"], &properties) != nil {
		return schema, nil
	}
	required, _ := stringList(root["required"])
	for _, old := range slices.Sorted(maps.Keys(properties)) {
		if portableArgument(old) {
			continue
		}
		name := freeArgument(old, properties)
		properties[name] = withOriginalName(properties[old], old)
		delete(properties, old)
		if i := slices.Index(required, old); i >= 0 {
			required[i] = name
		}
		if pageNames == nil {
			pageNames = map[string]string{}
		}
		pageNames[name] = old
	}
	if pageNames == nil {
		return schema, nil
	}
	root["properties"] = Encode(properties)
	if required != nil {
		root["required"] = Encode(required)
	}
	return Encode(root), pageNames
}

// freeArgument returns a portable name similar to old that no property has.
func freeArgument(old string, properties map[string]json.RawMessage) string {
	like := strings.Map(func(r rune) rune {
		if oddInArgument(r) {
			return '_'
		}
		return r
	}, old)
	like = like[:min(len(like), maxArgument-4)]
	if strings.Trim(like, "_") == "" {
		like = "arg"
	}
	for name, n := like, 2; ; n++ {
		if _, taken := properties[name]; !taken {
			return name
		}
		name = fmt.Sprintf("%s_%d", like, n)
	}
}

// withOriginalName puts the page's name for a property before its description.
func withOriginalName(schema json.RawMessage, name string) json.RawMessage {
	var s map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil || s == nil {
		s = map[string]json.RawMessage{}
	}
	var description string
	_ = json.Unmarshal(s["description"], &description)
	s["description"] = Encode(strings.TrimSpace(fmt.Sprintf("[%s] %s", Text(name, 128), description)))
	return Encode(s)
}

// PageArguments translates arguments that an agent gave by the published schema to the names that the page uses. args
// is a JSON object.
func (t *Tool) PageArguments(args json.RawMessage) json.RawMessage {
	args = t.words.rename(args)
	if marked := t.words.marked; len(marked) > 0 {
		args = rewriteStrings(args, func(text string) string {
			if meant, ok := marked[text]; ok {
				return meant
			}
			return text
		})
	}
	return args
}

func (w pageWords) rename(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if len(w.arguments) == 0 || json.Unmarshal(args, &members) != nil {
		return args
	}
	for name, pages := range w.arguments {
		if v, given := members[name]; given {
			delete(members, name)
			members[pages] = v
		}
	}
	return Encode(members)
}
