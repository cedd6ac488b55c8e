package smoke

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxInputs     = 24 // of one tool
	maxProperties = 12 // that are varied one by one
)

// An Input is what a tool is called with.
type Input struct {
	Name  string          // what it tries, such as "limit: the greatest"
	Args  json.RawMessage // an object
	Valid bool            // the schema permits it
}

// Inputs makes inputs for a schema; nil is none, which permits anything. The first ones are
// valid, the others are not.
func Inputs(schema json.RawMessage) []Input {
	root := map[string]any{}
	if len(schema) > 0 {
		_ = json.Unmarshal(schema, &root) // what isn't an object has no properties
	}
	m := &maker{root: root, check: compile(schema)}
	m.valid()
	m.invalid()
	return m.all
}

// A maker makes the inputs of one schema.
type maker struct {
	root  map[string]any
	check *jsonschema.Schema // nil permits all
	all   []Input
}

// add adds an input unless it is there, or isn't what it is said to be: a schema may have
// conditions that no value of ours meets.
func (m *maker) add(name string, args map[string]any, valid bool) {
	raw, err := json.Marshal(args)
	if err != nil || len(m.all) >= maxInputs || m.permits(raw) != valid {
		return
	}
	if !slices.ContainsFunc(m.all, func(i Input) bool { return bytes.Equal(i.Args, raw) }) {
		m.all = append(m.all, Input{name, raw, valid})
	}
}

func (m *maker) permits(raw []byte) bool {
	if m.check == nil {
		return true
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	return err == nil && m.check.Validate(v) == nil
}

// valid makes inputs that the schema permits.
func (m *maker) valid() {
	fields := m.fields()
	least, full := map[string]any{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v := ordinary(m.resolve(fields[name]), m)
		full[name] = v
		if slices.Contains(m.required(), name) {
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

// invalid makes inputs that the schema refuses.
func (m *maker) invalid() {
	fields := m.fields()
	full := map[string]any{}
	for name, field := range fields {
		full[name] = ordinary(m.resolve(field), m)
	}
	m.add("nothing", map[string]any{}, false)
	for _, name := range m.varied() {
		for _, v := range []variant{{"a text instead", "text"}, {"a number instead", 7.5}, {"null instead", nil}, {"an object instead", map[string]any{"a": 1.0}}, {"a list instead", []any{"a"}}} {
			args := maps.Clone(full)
			args[name] = v.value
			before := len(m.all)
			if m.add(name+": "+v.name, args, false); len(m.all) > before {
				break // one wrong value for each
			}
		}
	}
	if len(fields) > 0 {
		args := maps.Clone(full)
		args["no_such_parameter"] = true
		m.add("a parameter that isn't there", args, false)
	}
}

func (m *maker) fields() map[string]any {
	fields, _ := m.resolve(m.root)["properties"].(map[string]any)
	return fields
}

// varied are the properties that are varied, those that are required first.
func (m *maker) varied() []string {
	all := slices.Sorted(maps.Keys(m.fields()))
	slices.SortStableFunc(all, func(a, b string) int {
		return rank(m.required(), a) - rank(m.required(), b)
	})
	return all[:min(len(all), maxProperties)]
}

func rank(list []string, name string) int {
	if slices.Contains(list, name) {
		return 0
	}
	return 1
}

func (m *maker) required() (all []string) {
	list, _ := m.resolve(m.root)["required"].([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func compile(schema json.RawMessage) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if c.AddResource("schema.json", doc) != nil {
		return nil
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		return nil
	}
	return s
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s is elsewhere", url) }
