package batch

import (
	"bytes"
	"encoding/json"
	"fmt"

	"webmcphub/internal/jsonrpc"
)

const (
	refKey     = "$ref"
	literalKey = "$literal"

	// maxDepth is how deeply arguments may be nested that contain references.
	maxDepth = 100
)

// template is a step's arguments with the references in them. Only one of its fields is set.
type template struct {
	literal json.RawMessage // the value itself; if this and all other fields are unset, there is no value
	ref     *Path
	members []member
	items   []template
	object  bool // it is an object, which may be empty
}

type member struct {
	name  string
	value template
}

// parse reads arguments. An object whose only member is "$ref" is a reference. An object whose only member is
// "$literal" stands for that member's value, whatever the value contains. All other values stand for themselves.
func parse(raw json.RawMessage, path func(text string) (Path, error)) (template, error) {
	return parseAt(bytes.TrimSpace(raw), path, 0)
}

func parseAt(raw json.RawMessage, path func(string) (Path, error), depth int) (t template, err error) {
	switch {
	case len(raw) == 0 || raw[0] != '{' && raw[0] != '[', !bytes.ContainsAny(raw, `$\`):
		return template{literal: raw}, nil
	case depth > maxDepth:
		return t, fmt.Errorf("the arguments are nested more than %d deep: leave out $ref, or what is nested", maxDepth)
	case raw[0] == '[':
		for item := range jsonrpc.Elements(raw) {
			part, err := parseAt(item, path, depth+1)
			if err != nil {
				return t, err
			}
			t.items = append(t.items, part)
		}
		return t, nil
	}
	t.object = true
	var sole struct {
		name  string
		value json.RawMessage
		n     int
	}
	for name, value := range jsonrpc.Members(raw) {
		sole.name, sole.value = name, value
		sole.n++
	}
	switch {
	case sole.n == 1 && sole.name == literalKey:
		return template{literal: sole.value}, nil
	case sole.n == 1 && sole.name == refKey:
		text, is := jsonrpc.Text(sole.value)
		if !is {
			return t, fmt.Errorf(`"$ref" takes a text, such as "cart.items[0].id", not %s. To send the object itself, wrap it: {"$literal": {"$ref": …}}`, cut(string(sole.value), 80))
		}
		p, err := path(text)
		return template{ref: &p}, err
	}
	for name, value := range jsonrpc.Members(raw) {
		part, err := parseAt(value, path, depth+1)
		if err != nil {
			return t, err
		}
		t.members = append(t.members, member{name, part})
	}
	return t, nil
}

// fill replaces the references by values.
func (t template) fill(value func(Path) (json.RawMessage, error)) (json.RawMessage, error) {
	if t.literal != nil {
		return t.literal, nil
	}
	if t.ref == nil && t.items == nil && !t.object {
		return nil, nil
	}
	var b bytes.Buffer
	if err := t.write(&b, value); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (t template) write(b *bytes.Buffer, value func(Path) (json.RawMessage, error)) error {
	if b.Len() > MaxArguments {
		return fmt.Errorf("with what they refer to, its arguments would be longer than %d bytes", MaxArguments)
	}
	switch {
	case t.ref != nil:
		v, err := value(*t.ref)
		if err != nil {
			return err
		}
		if len(v)+b.Len() > MaxArguments {
			return fmt.Errorf("with what they refer to, its arguments would be longer than %d bytes", MaxArguments)
		}
		b.Write(v)
	case t.object:
		b.WriteByte('{')
		for i, m := range t.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(jsonrpc.MustEncode(m.name))
			b.WriteByte(':')
			if err := m.value.write(b, value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case t.literal != nil:
		b.Write(t.literal)
	default:
		b.WriteByte('[')
		for i, item := range t.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.write(b, value); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	}
	return nil
}
