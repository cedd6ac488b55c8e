package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// These limit what is remembered of schemas. A tool beyond the limits counts as unknown. A tool with too many secret
// parameters counts as having only secret parameters.
const (
	maxTools  = 4096
	maxSecret = 256
)

// schemas holds what is known about the tools' parameters, by the tools' names. A schema affects only its own tool,
// because pages write schemas.
type schemas struct {
	tools map[string]*schema
	blind bool   // an unknown part of the messages is missing, so no tool counts as known
	any   schema // of all tools together, for what a person answers
}

// schema says which parameters of a tool are secret. A new definition by the page removes nothing, because a call may
// still use the older one.
type schema struct {
	all   bool
	names map[string]bool
}

// define learns from a tool's definition.
func (s *schemas) define(definition json.RawMessage) {
	name, ok := jsonrpc.Text(jsonrpc.Member(definition, "name"))
	if !ok {
		return
	}
	s.any.learn(jsonrpc.Member(definition, "inputSchema"))
	of := s.tools[name]
	if of == nil {
		if s.blind || len(s.tools) >= maxTools {
			return
		}
		of = &schema{}
		s.tools[strings.Clone(name)] = of
	}
	of.learn(jsonrpc.Member(definition, "inputSchema"))
}

// forget forgets all tools; with blind, it learns no new ones until messages are complete again.
func (s *schemas) forget(blind bool) {
	if blind {
		clear(s.tools)
	}
	s.blind = blind
}

// found learns from the answer of a hub tool that lists tools.
func (s *schemas) found(result json.RawMessage) {
	if structured := jsonrpc.Member(result, "structuredContent"); structured != nil {
		s.within(structured, 0)
		return
	}
	for item := range jsonrpc.Elements(jsonrpc.Member(result, "content")) {
		if text, _ := jsonrpc.Text(jsonrpc.Member(item, "text")); json.Valid([]byte(text)) {
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
	case v[0] == '{' && jsonrpc.IsObject(jsonrpc.Member(v, "inputSchema")):
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

// walk searches a schema for the parameter of that name, and all schemas within. If something secret belongs to no
// parameter that can be named, such as a shared definition, all parameters count as secret.
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
