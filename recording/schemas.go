package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// Bounds of what is remembered of schemas. A tool beyond them counts as one of which nothing
// is known, and one with more secret parameters as one whose parameters are all secret.
const (
	maxTools  = 4096
	maxSecret = 256
)

// schemas are what is known of the tools' parameters, by the tools' names. Each holds for its
// own tool only, because pages write them.
type schemas struct {
	tools map[string]*schema
	blind bool   // messages are missing, it isn't known where: no tool counts as known
	any   schema // of all tools, for what a person answers
}

// schema is which parameters of a tool are secret. That a page defines a tool anew takes
// nothing away: a call may be on its way to the older one.
type schema struct {
	all   bool
	names map[string]bool
}

// define learns from a tool's definition.
func (s *schemas) define(definition json.RawMessage) {
	name, ok := jsonrpc.Text(raw(definition, "name"))
	if !ok {
		return
	}
	s.any.learn(raw(definition, "inputSchema"))
	of := s.tools[name]
	if of == nil {
		if s.blind || len(s.tools) >= maxTools {
			return
		}
		of = &schema{}
		s.tools[strings.Clone(name)] = of
	}
	of.learn(raw(definition, "inputSchema"))
}

// forget forgets which tools there are, and learns of none until messages are whole again.
func (s *schemas) forget(blind bool) {
	if blind {
		clear(s.tools)
	}
	s.blind = blind
}

// found learns from the answer of a tool of the hub's that lists tools.
func (s *schemas) found(result json.RawMessage) {
	if structured := raw(result, "structuredContent"); structured != nil {
		s.within(structured, 0)
		return
	}
	for item := range jsonrpc.Elements(raw(result, "content")) {
		if text, _ := jsonrpc.Text(raw(item, "text")); json.Valid([]byte(text)) {
			s.within(json.RawMessage(text), 0)
		}
	}
}

func (s *schemas) within(v json.RawMessage, depth int) {
	switch {
	case depth > deepest || len(v) == 0:
	case v[0] == '[':
		for is := range jsonrpc.Elements(v) {
			s.within(is, depth+1)
		}
	case v[0] == '{' && jsonrpc.IsObject(raw(v, "inputSchema")):
		s.define(v)
	default:
		for _, is := range jsonrpc.Members(v) {
			s.within(is, depth+1)
		}
	}
}

// learn finds the secret parameters in a JSON Schema.
func (s *schema) learn(of json.RawMessage) {
	if slices.ContainsFunc([]string{"password", "writeOnly", `\`},
		func(word string) bool { return bytes.Contains(of, []byte(word)) }) {
		s.walk(of, "", 0)
	}
}

// walk looks into a schema for the parameter of that name, and into all schemas within. What
// is secret and belongs to no parameter that can be named, such as a shared definition,
// makes all parameters secret.
func (s *schema) walk(of json.RawMessage, parameter string, depth int) {
	if depth > deepest {
		s.all = true
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

func (s *schema) add(parameter string) {
	if parameter == "" || len(s.names) >= maxSecret && !s.names[parameter] {
		s.all = true
		return
	}
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[strings.Clone(parameter)] = true
}
