package recording

import (
	"encoding/json"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/mask"
)

// maxTools is of how many tools the schemas are remembered. A tool beyond it counts as unknown.
const maxTools = 4096

// schemas holds what is known about the tools' parameters, by the tools' names. A schema affects only its own tool,
// because pages write schemas. A new definition by the page removes nothing, because a call may still use
// the older one.
type schemas struct {
	tools map[string]*mask.Schema
	blind bool        // an unknown part of the messages is missing, so no tool counts as known
	any   mask.Schema // of all tools together, for what a person answers
}

// define learns from a tool's definition.
func (s *schemas) define(definition json.RawMessage) {
	name, ok := jsonrpc.Text(jsonrpc.Member(definition, "name"))
	if !ok {
		return
	}
	s.any.Learn(jsonrpc.Member(definition, "inputSchema"))
	of := s.tools[name]
	if of == nil {
		if s.blind || len(s.tools) >= maxTools {
			return
		}
		of = &mask.Schema{}
		s.tools[strings.Clone(name)] = of
	}
	of.Learn(jsonrpc.Member(definition, "inputSchema"))
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
