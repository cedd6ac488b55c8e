package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"webmcphub/check/lint"
)

const (
	maxInputs     = 24 // of one tool
	maxProperties = 12 // of one tool; they are varied one by one
)

// An Input is the input of one call of a tool.
type Input struct {
	Name  string          // what the input tries, such as "limit: the greatest"
	Args  json.RawMessage // an object
	Valid bool            // the schema permits Args
}

// Inputs returns inputs for a schema: valid ones first, then invalid ones. A nil schema permits anything. The error
// says why Inputs could make no valid inputs. Inputs stops when ctx ends.
func Inputs(ctx context.Context, schema json.RawMessage) ([]Input, error) {
	m := &maker{root: map[string]any{}, ctx: ctx, left: maxBytes}
	if len(schema) > 0 {
		_ = json.Unmarshal(schema, &m.root) // a schema that isn't an object has no properties
		patterns(m.root)
		raw, err := json.Marshal(m.root)
		if err == nil {
			m.check, err = lint.CompileSchema(raw, true)
		}
		if err != nil {
			return nil, fmt.Errorf("no inputs can be made from its schema: %w", err)
		}
	}
	is := m.resolve(m.root)
	m.fields, _ = is["properties"].(map[string]any)
	m.required = texts(is["required"])
	m.valid()
	valid := len(m.all) > 0
	m.invalid()
	switch {
	case m.ctx.Err() != nil:
		return m.all, fmt.Errorf("no inputs can be made from its schema: %w", context.Cause(m.ctx))
	case m.left < 0:
		return m.all, errors.New("no inputs can be made from its schema: they would be too large")
	case !valid:
		return m.all, errors.New("no input was found that its schema permits; give its parameters examples or defaults")
	}
	return m.all, nil
}

// patterns moves the patterns of form fields for times, months, weeks and colors to the keyword pattern, because
// Chrome writes them as the value of format.
func patterns(v any) {
	switch v := v.(type) {
	case map[string]any:
		format, _ := v["format"].(string)
		if _, has := v["pattern"]; !has && strings.ContainsAny(format, "^[({$\\") {
			if _, err := lint.CompilePattern(format); err == nil {
				v["pattern"] = format
			}
		}
		for _, one := range v {
			patterns(one)
		}
	case []any:
		for _, one := range v {
			patterns(one)
		}
	}
}

// maxBytes limits the total size of the values made for one schema, because the values of a schema that refers to
// itself in lists can grow without end.
const maxBytes = 1 << 18

// A maker makes the inputs of one schema.
type maker struct {
	root     map[string]any
	fields   map[string]any // the root schema's properties
	required []string       // the names of required properties
	check    *lint.Schema   // nil permits everything
	ctx      context.Context
	left     int // how many of maxBytes are left
	all      []Input
}

// spend subtracts a value's size from the budget, and reports whether any is left.
func (m *maker) spend(size int) bool {
	m.left -= size + 8
	return m.left >= 0
}

// add adds an input unless there is an equal one, or the schema judges it other than intended: a schema may have
// conditions that no generated value meets.
func (m *maker) add(name string, args map[string]any, valid bool) {
	if m.left < 0 || m.ctx.Err() != nil || len(m.all) >= maxInputs {
		return
	}
	raw, err := json.Marshal(args)
	if err != nil || m.permits(raw, valid) != valid {
		return
	}
	if !slices.ContainsFunc(m.all, func(i Input) bool { return bytes.Equal(i.Args, raw) }) {
		m.all = append(m.all, Input{name, raw, valid})
	}
}

// permits reports whether the schema permits an input. If it can't find out, it returns the opposite of wanted.
func (m *maker) permits(raw []byte, wanted bool) bool {
	if m.check == nil {
		return true
	}
	err := m.check.Validate(m.ctx, raw)
	if m.check.Unread && err == nil || m.ctx.Err() != nil {
		return !wanted
	}
	return err == nil
}

// valid makes inputs that the schema permits.
func (m *maker) valid() {
	fields := m.fields
	least, full := map[string]any{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v := ordinary(m.resolve(fields[name]), m)
		full[name] = v
		if slices.Contains(m.required, name) {
			least[name] = v
		}
	}
	m.add("what is required", least, true)
	m.add("all parameters", full, true)
	for _, name := range m.varied() {
		for _, v := range limits(m.resolve(fields[name]), m) {
			args := maps.Clone(full)
			args[name] = v.value
			m.add(name+": "+v.name, args, true)
		}
	}
}

// invalid makes inputs that the schema rejects.
func (m *maker) invalid() {
	fields := m.fields
	full := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		full[name] = ordinary(m.resolve(fields[name]), m)
	}
	m.add("nothing", map[string]any{}, false)
	for _, name := range m.varied() {
		for _, v := range []variant{{"a text instead", "text"}, {"a number instead", 7.5}, {"null instead", nil},
			{"an object instead", map[string]any{"a": 1.0}}, {"a list instead", []any{"a"}}} {
			args := maps.Clone(full)
			args[name] = v.value
			before := len(m.all)
			if m.add(name+": "+v.name, args, false); len(m.all) > before {
				break // one wrong value for each property
			}
		}
	}
	if len(fields) > 0 {
		args := maps.Clone(full)
		args["no_such_parameter"] = true
		m.add("a parameter that isn't there", args, false)
	}
}

// varied returns the properties to vary, required ones first.
func (m *maker) varied() []string {
	all := slices.Sorted(maps.Keys(m.fields))
	slices.SortStableFunc(all, func(a, b string) int { return m.rank(a) - m.rank(b) })
	return all[:min(len(all), maxProperties)]
}

func (m *maker) rank(name string) int {
	if slices.Contains(m.required, name) {
		return 0
	}
	return 1
}

// texts returns the strings in a list.
func texts(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
