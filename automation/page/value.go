package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"webmcphub/registry/sanitize"
)

// maxDepth bounds the depth to which a result is serialized.
const maxDepth = 12

// remote is what a script returned, as Chrome reports it.
type remote struct {
	Description string
	Deep        *deep `json:"deepSerializedValue"`
}

// deep is a value with its type. Chrome makes it without running any code in the page.
type deep struct {
	Type  string
	Value json.RawMessage
	Same  *int `json:"weakLocalObjectReference"` // identifies an object that occurs more than once
}

// encode returns the JSON of a value. A value that JSON doesn't have becomes a text that describes it, such as
// "[undefined]". JSON longer than the limit is cut off.
func (r remote) encode(w wrapper) ScriptResult {
	if r.Deep == nil {
		return ScriptResult{JSON: sanitize.Encode("[undefined]")}
	}
	if most := 4*w.limit + min(64*w.limit, 64<<20) + 1<<20; len(r.Deep.Value) > most {
		// bounded.js should have cut it off in the page, but the page has replaced functions that bounded.js uses.
		return ScriptResult{JSON: sanitize.Encode(fmt.Sprintf("[%s: too large]", r.Deep.Type)), Cut: true}
	}
	beginning, cut := r.Deep.cut(w.mark)
	var value any
	switch {
	case cut:
		value = beginning.plain()
	case r.Deep.Type == "error" || r.Deep.Type == "function": // Description is set only for these
		value = fmt.Sprintf("[%s: %s]", r.Deep.Type, r.Description)
	default:
		value = r.Deep.plain()
	}
	is := sanitize.Encode(value)
	if len(is) <= w.limit && !cut {
		return ScriptResult{JSON: is}
	}
	head := string(is[:min(w.limit, len(is))])
	if text, is := value.(string); is {
		head = text[:min(w.limit, len(text))]
	}
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	return ScriptResult{JSON: sanitize.Encode(head), Cut: true}
}

// cut returns the beginning of a value that bounded.js has cut off because it was too large.
func (d *deep) cut(mark string) (beginning *deep, is bool) {
	var pair []*deep
	if d.Type != "array" || !strings.Contains(string(d.Value[:min(len(d.Value), 200)]), mark) ||
		json.Unmarshal(d.Value, &pair) != nil || len(pair) != 2 || pair[0].text() != mark {
		return nil, false
	}
	return pair[1], true
}

// plain converts a value to one that has JSON.
func (d *deep) plain() any {
	switch d.Type {
	case "undefined":
		return "[undefined]"
	case "null":
		return nil
	case "string":
		return d.text()
	case "boolean":
		return d.Value
	case "number":
		if len(d.Value) > 0 && d.Value[0] != '"' {
			return d.Value
		}
		return "[" + d.text() + "]" // NaN, Infinity, -0
	case "bigint":
		return d.text() + "n"
	case "date":
		return d.text()
	case "array", "set", "nodelist", "htmlcollection":
		var all []*deep
		if json.Unmarshal(d.Value, &all) != nil {
			return d.named()
		}
		list := make([]any, len(all))
		for i, v := range all {
			list[i] = v.plain()
		}
		return list
	case "object", "map":
		return d.members()
	case "node":
		return d.node()
	case "regexp":
		var is struct{ Pattern, Flags string }
		_ = json.Unmarshal(d.Value, &is)
		return "/" + is.Pattern + "/" + is.Flags
	}
	return "[" + d.Type + "]"
}

func (d *deep) text() string {
	var s string
	_ = json.Unmarshal(d.Value, &s)
	return s
}

// named describes a value that Chrome hasn't serialized: an object that occurred before, as in a cycle, or one that
// is too deep.
func (d *deep) named() any {
	if d.Same != nil {
		return "[" + d.Type + ": seen before]"
	}
	return "[" + d.Type + ": too deep]"
}

// members returns the members of an object, or the entries of a map, in their order.
func (d *deep) members() any {
	var pairs [][2]json.RawMessage
	if d.Value == nil || json.Unmarshal(d.Value, &pairs) != nil {
		return d.named()
	}
	b := []byte("{")
	for i, pair := range pairs {
		var key string
		var value deep
		if json.Unmarshal(pair[0], &key) != nil { // a key of a map can be any value
			var k deep
			_ = json.Unmarshal(pair[0], &k)
			key = strings.Trim(string(sanitize.Encode(k.plain())), `"`)
		}
		_ = json.Unmarshal(pair[1], &value)
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(sanitize.AppendJSON(b, key), ':'), sanitize.Encode(value.plain())...)
	}
	return json.RawMessage(append(b, '}'))
}

// node describes a node by its tag.
func (d *deep) node() any {
	var is struct {
		NodeType   int
		LocalName  string
		NodeValue  string
		Attributes map[string]string
	}
	if json.Unmarshal(d.Value, &is) != nil {
		return d.named()
	}
	switch {
	case is.NodeType == 9:
		return "[document]"
	case is.LocalName == "":
		return "[text: " + is.NodeValue + "]"
	}
	tag := "<" + is.LocalName
	for _, name := range []string{"id", "class", "name", "type", "href"} {
		if v := is.Attributes[name]; v != "" {
			tag += fmt.Sprintf(" %s=%q", name, v)
		}
	}
	return tag + ">"
}
