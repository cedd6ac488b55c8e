package report

import (
	"encoding/json"
	"maps"
	"slices"
)

// A CoveredCall is one call of a tool.
type CoveredCall struct {
	Tool      string
	Arguments json.RawMessage // nil if they are unknown
}

// Coverage says which of the tools were called.
type Coverage struct {
	Of    string         `json:"of"` // names who made the calls
	Tools []ToolCoverage `json:"tools"`
}

// ToolCoverage is the coverage of one tool.
type ToolCoverage struct {
	Tool       string              `json:"tool"`
	Calls      int                 `json:"calls"`
	Parameters []ParameterCoverage `json:"parameters,omitempty"`
}

// ParameterCoverage is the coverage of one parameter, which the tool's schema names or a call had.
type ParameterCoverage struct {
	Name     string          `json:"name"`
	Calls    int             `json:"calls"` // the number of calls with the parameter
	Values   []ValueCoverage `json:"values,omitempty"`
	Unlisted bool            `json:"unlisted,omitempty"` // the schema doesn't name the parameter
}

// ValueCoverage is the coverage of one value that the schema permits, of an enum or a boolean.
type ValueCoverage struct {
	Value json.RawMessage `json:"value"`
	Calls int             `json:"calls"`
}

// CoverageOf counts calls. tools has the input schemas of the existing tools, by name. CoverageOf adds tools that
// were called and are not in tools.
func CoverageOf(whose string, tools map[string]json.RawMessage, calls []CoveredCall) *Coverage {
	all := map[string]*ToolCoverage{}
	for name, schema := range tools {
		all[name] = declared(name, schema)
	}
	for _, c := range calls {
		if all[c.Tool] == nil {
			all[c.Tool] = &ToolCoverage{Tool: c.Tool}
		}
		all[c.Tool].count(c.Arguments)
	}
	r := &Coverage{Of: whose, Tools: []ToolCoverage{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.Tools = append(r.Tools, *all[name])
	}
	return r
}

// Called returns how many of the tools were called.
func (r *Coverage) Called() (n int) {
	for _, t := range r.Tools {
		if t.Calls > 0 {
			n++
		}
	}
	return n
}

// schemaProperty has the keywords of a parameter's schema that coverage needs.
type schemaProperty struct {
	Type any               `json:"type"`
	Enum []json.RawMessage `json:"enum"`
}

func declared(name string, raw json.RawMessage) *ToolCoverage {
	t := &ToolCoverage{Tool: name}
	var members struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(raw, &members) // a schema that can't be read has no parameters
	for _, name := range slices.Sorted(maps.Keys(members.Properties)) {
		var of schemaProperty
		_ = json.Unmarshal(members.Properties[name], &of)
		p := ParameterCoverage{Name: name}
		if of.Type == "boolean" && of.Enum == nil {
			of.Enum = []json.RawMessage{json.RawMessage("true"), json.RawMessage("false")}
		}
		for _, v := range of.Enum {
			p.Values = append(p.Values, ValueCoverage{Value: v})
		}
		t.Parameters = append(t.Parameters, p)
	}
	return t
}

func (t *ToolCoverage) count(arguments json.RawMessage) {
	t.Calls++
	var all map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &all)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		i := slices.IndexFunc(t.Parameters, func(p ParameterCoverage) bool { return p.Name == name })
		if i < 0 {
			i = len(t.Parameters)
			t.Parameters = append(t.Parameters, ParameterCoverage{Name: name, Unlisted: true})
		}
		p := &t.Parameters[i]
		p.Calls++
		for j := range p.Values {
			if same(p.Values[j].Value, all[name]) {
				p.Values[j].Calls++
			}
		}
	}
}

func same(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	xs, _ := json.Marshal(x)
	ys, _ := json.Marshal(y)
	return string(xs) == string(ys)
}
