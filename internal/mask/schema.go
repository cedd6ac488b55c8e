package mask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// deepest is how many levels of a schema are searched. maxParameters is how many secret parameters one may have.
const (
	deepest       = 64
	maxParameters = 256
)

// Schema says which parameters of a tool are secret, by the tool's schema. The zero value says that none is.
type Schema struct {
	All   bool // all parameters are secret
	names map[string]bool
}

// Named reports whether the schema says of the parameter of that name that it is secret.
func (s *Schema) Named(name string) bool { return s != nil && s.names[name] }

// Arguments returns arguments with the values of secret parameters replaced.
func (s *Schema) Arguments(arguments json.RawMessage) json.RawMessage {
	if s.All {
		return jsonrpc.Rewrite(arguments, func(string, json.RawMessage) json.RawMessage { return maskedJSON })
	}
	if len(s.names) == 0 {
		return arguments
	}
	return s.within(arguments, 0)
}

var maskedJSON = json.RawMessage(`"` + Masked + `"`)

func (s *Schema) within(v json.RawMessage, depth int) json.RawMessage {
	switch {
	case depth > deepest:
		return maskedJSON
	case len(v) > 0 && v[0] == '[':
		return jsonrpc.RewriteEach(v, func(is json.RawMessage) json.RawMessage { return s.within(is, depth+1) })
	}
	return jsonrpc.Rewrite(v, func(name string, is json.RawMessage) json.RawMessage {
		if s.names[name] {
			return maskedJSON
		}
		return s.within(is, depth+1)
	})
}

// Learn adds the secret parameters of a JSON Schema: those with format password, or writeOnly.
func (s *Schema) Learn(of json.RawMessage) {
	if slices.ContainsFunc([]string{"password", "writeOnly", `\`},
		func(word string) bool { return bytes.Contains(of, []byte(word)) }) {
		s.walk(of, "", 0)
	}
}

// walk searches a schema for the parameter of that name, and all schemas within. If something secret belongs to no
// parameter that can be named, such as a shared definition, all parameters count as secret.
func (s *Schema) walk(of json.RawMessage, parameter string, depth int) {
	if depth > deepest {
		s.All = true
		return
	}
	if len(of) > 0 && of[0] == '[' {
		for is := range jsonrpc.Elements(of) {
			s.walk(is, parameter, depth+1)
		}
		return
	}
	for name, is := range jsonrpc.Members(of) {
		format, _ := jsonrpc.Text(is)
		switch {
		case name == "format" && format == "password", name == "writeOnly" && string(is) == "true":
			s.add(parameter)
		case name == "properties" && jsonrpc.IsObject(is):
			for parameter, of := range jsonrpc.Members(is) {
				s.walk(of, parameter, depth+1)
			}
		default:
			s.walk(is, parameter, depth+1)
		}
	}
}

func (s *Schema) add(parameter string) {
	if parameter == "" || len(s.names) >= maxParameters && !s.names[parameter] {
		s.All = true
		return
	}
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[strings.Clone(parameter)] = true
}
