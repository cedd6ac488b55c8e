package journey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"webmcphub/internal/jsonrpc"
)

// A Journey is a sequence of steps, which run in tabs of its own.
type Journey struct {
	Name  string
	Steps []Step

	eval json.RawMessage // the case of evals.json from which [Read] read it, or nil
}

// A Step has exactly one of Open, Call, Tools and Close. Tab names the tab in which the step runs; "" is the tab that
// was opened last.
type Step struct {
	Open      string         `json:"open,omitempty"` // an address, which may be relative to the checked one
	Tab       string         `json:"tab,omitempty"`
	Call      string         `json:"call,omitempty"` // a tool's name
	Arguments map[string]any `json:"arguments,omitempty"`
	Result    any            `json:"result,omitempty"` // the expected result; nil accepts any
	Fails     bool           `json:"fails,omitempty"`  // the tool must return an error
	Tools     *Tools         `json:"tools,omitempty"`
	Close     bool           `json:"close,omitempty"`
}

// Tools are the tools that must appear and those that must disappear.
type Tools struct {
	Has  []string `json:"has,omitempty"`
	Gone []string `json:"gone,omitempty"`
}

// evalCase has the members of a case in evals.json that [Read] uses.
type evalCase struct {
	Name         string          `json:"name"`
	Steps        json.RawMessage `json:"steps"`
	ExpectedCall []evalCall      `json:"expectedCall"`
}

// evalCall is one call, or several calls, ordered or unordered.
type evalCall struct {
	FunctionName string         `json:"functionName"`
	Arguments    map[string]any `json:"arguments"`
	Result       any            `json:"result"`
	Optional     bool           `json:"optional"`
	Ordered      []evalCall     `json:"ordered"`
	Unordered    []evalCall     `json:"unordered"`
}

// Read reads a file. It holds a list of journeys, each with name and steps, or a list of cases of evals.json.
func Read(text []byte) (all []Journey, err error) {
	var list any
	if json.Unmarshal(text, &list) != nil {
		if err := yaml.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("it is neither JSON nor YAML: %w", err)
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("it has something that JSON has not: %w", err)
	}
	var cases []json.RawMessage
	if json.Unmarshal(raw, &cases) != nil || len(cases) == 0 {
		return nil, errors.New("it must be a list of journeys, each with a name and steps, or of webmcp-evals' cases")
	}
	for i, c := range cases {
		j, err := read(c)
		if j.Name == "" {
			j.Name = fmt.Sprintf("journey %d", i+1)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.Name, err)
		}
		all = append(all, j)
	}
	return all, nil
}

func read(raw json.RawMessage) (j Journey, err error) {
	var c evalCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return j, err
	}
	j.Name = c.Name
	if c.Steps == nil {
		j.eval, j.Steps = raw, flat(c.ExpectedCall)
		if slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Call == "" }) {
			return j, errors.New("a call has no functionName")
		}
		return j, nil
	}
	d := json.NewDecoder(bytes.NewReader(c.Steps))
	d.DisallowUnknownFields()
	if err := d.Decode(&j.Steps); err != nil {
		return j, err
	}
	for i, s := range j.Steps {
		if err := s.check(); err != nil {
			return j, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return j, nil
}

// flat returns the calls in the order of the file. It leaves optional calls out, as webmcp-evals does when it runs
// without a model.
func flat(calls []evalCall) (steps []Step) {
	for _, c := range calls {
		switch {
		case c.Optional:
		case c.Ordered != nil || c.Unordered != nil:
			steps = append(steps, flat(slices.Concat(c.Ordered, c.Unordered))...)
		default:
			steps = append(steps, Step{Call: c.FunctionName, Arguments: c.Arguments, Result: c.Result})
		}
	}
	return steps
}

// String names a step, such as "call search".
func (s Step) String() string {
	switch {
	case s.Open != "":
		return "open " + s.Open
	case s.Call != "":
		return "call " + s.Call
	case s.Tools != nil:
		return "tools " + strings.Join(slices.Concat(s.Tools.Has, s.Tools.Gone), ", ")
	}
	return "close " + s.Tab
}

// Unlisted says which arguments a schema doesn't name, or returns "". A schema that names none, or that has rules for
// other names, permits any argument.
func Unlisted(schema, arguments json.RawMessage) string {
	var names struct {
		Properties                                                     map[string]json.RawMessage
		AdditionalProperties, PatternProperties, UnevaluatedProperties json.RawMessage
		Ref                                                            string `json:"$ref"`
		AllOf, AnyOf, OneOf                                            json.RawMessage
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(schema, &names) != nil || json.Unmarshal(arguments, &all) != nil || len(names.Properties) == 0 ||
		names.AdditionalProperties != nil || names.PatternProperties != nil || names.UnevaluatedProperties != nil ||
		names.Ref != "" || names.AllOf != nil || names.AnyOf != nil || names.OneOf != nil {
		return ""
	}
	var unlisted []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if names.Properties[name] == nil {
			unlisted = append(unlisted, strconv.Quote(name))
		}
	}
	if len(unlisted) == 0 {
		return ""
	}
	return "its schema has no " + strings.Join(unlisted, ", ")
}

func (s Step) check() error {
	n := 0
	for _, is := range []bool{s.Open != "", s.Call != "", s.Tools != nil, s.Close} {
		if is {
			n++
		}
	}
	switch {
	case n != 1:
		return errors.New("it must have one of open, call, tools and close")
	case s.Call == "" && (s.Arguments != nil || s.Result != nil || s.Fails):
		return errors.New("arguments, result and fails go with call")
	}
	return nil
}

// Evals writes journeys in the format of webmcp-evals. It writes journeys from an evals.json unchanged, and of other
// journeys only the calls.
func Evals(all []Journey) ([]byte, error) {
	cases := []any{}
	for _, j := range all {
		if j.eval != nil {
			cases = append(cases, j.eval)
			continue
		}
		calls := []any{}
		for _, s := range j.Steps {
			if s.Call == "" {
				continue
			}
			call := map[string]any{"functionName": s.Call, "arguments": s.Arguments}
			if s.Arguments == nil {
				call["arguments"] = map[string]any{}
			}
			if s.Result != nil {
				call["result"] = s.Result
			}
			calls = append(calls, call)
		}
		cases = append(cases, map[string]any{
			"name": j.Name, "expectedCall": calls,
			"messages": []any{map[string]any{"role": "user", "type": "message", "content": j.Name}},
		})
	}
	return jsonrpc.EncodeFile(cases, "  ")
}

// YAML writes journeys in the format that [Read] reads, with one line for each step.
func YAML(all []Journey) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // JSON is YAML, too
	e.SetEscapeHTML(false)
	for _, j := range all {
		b.WriteString("- name: ")
		if err := e.Encode(j.Name); err != nil {
			return nil, err
		}
		b.WriteString("  steps:\n")
		for _, s := range j.Steps {
			b.WriteString("    - ")
			if err := e.Encode(s); err != nil {
				return nil, err
			}
		}
		if len(j.Steps) == 0 {
			b.WriteString("    []\n")
		}
	}
	return b.Bytes(), nil
}
