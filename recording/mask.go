package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/wording"
)

// Mask says what of a client's arguments is left out of the file.
type Mask string

const (
	// Secrets leaves out the values of parameters that are called like passwords, keys and
	// the numbers of cards, or whose schema says that they are.
	Secrets Mask = "secrets"
	// Everything leaves out all arguments, as the audit log does, and writes their hash.
	Everything Mask = "all"
)

// Masked stands for a value that is left out.
const Masked = "[masked]"

var maskedJSON = json.RawMessage(`"` + Masked + `"`)

// maxNames is how many names are remembered, secret or not.
const maxNames = 4096

// deepest is how deep a message is looked into; what is deeper is left out altogether.
const deepest = 64

// Methods, and the hub's own tools by which others are called and listed.
const (
	callMethod     = "tools/call"
	completeMethod = "completion/complete"
	elicitMethod   = "elicitation/create"
	byName         = "call_webmcp_tool"
	bySteps        = "call_webmcp_tools"
)

var listing = []string{"list_webmcp_tools", "find_webmcp_tools"}

// maxListing is how many of their calls may be without an answer.
const maxListing = 256

// protocol are members of params that MCP needs, and that are no arguments. They are written
// as they are.
var protocol = []string{"name", "uri", "cursor", "level", "protocolVersion", "capabilities", "clientInfo", "requestId",
	"progressToken", "progress", "total", "ref", "notifications", "task", "taskId"}

// mask keeps secrets out of what is written. It belongs to the writer.
type mask struct {
	kind  Mask
	named []string        // parameters that the user calls secret
	names map[string]bool // what is known of names, without schemas
	tools schemas
	known known
	lists map[string]bool // ids of calls of the hub's tools that list tools
}

func newMask(o Options) mask {
	return mask{kind: o.Mask, named: o.Names, names: map[string]bool{}, tools: schemas{tools: map[string]*schema{}},
		lists: map[string]bool{}}
}

// client masks a message of the client's. hash is that of what it asks with, where that is
// left out as a whole. Of what is no object, which the hub refuses, nothing is written but
// that it was there.
func (m *mask) client(message json.RawMessage) (masked json.RawMessage, hash string) {
	switch {
	case !jsonrpc.IsObject(message):
		return maskedJSON, ""
	case m.kind == Everything:
		return withoutArguments(message)
	}
	head := jsonrpc.Peek(message)
	return m.repeated(rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "params":
			return m.params(head, value)
		case "result": // what a person answered
			return m.answer(value)
		}
		return value
	})), ""
}

func (m *mask) params(head jsonrpc.Head, params json.RawMessage) json.RawMessage {
	tool, _ := jsonrpc.Text(raw(params, "name"))
	return rewrite(params, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "_meta" || slices.Contains(protocol, name):
			return value
		case name == "arguments" && head.Method == callMethod:
			return m.call(head.ID, tool, value, 0)
		case name == "argument" && head.Method == completeMethod:
			return m.completed(value)
		case name == "inputResponses":
			return rewrite(value, func(_ string, answer json.RawMessage) json.RawMessage { return m.answer(answer) })
		case name != "arguments" && m.secret(name):
			return m.hide(value)
		}
		return m.values(value, nil, 0)
	})
}

// answer masks what a person answered. It is not known which tool's question it was, so that
// what is secret for any of them is.
func (m *mask) answer(v json.RawMessage) json.RawMessage {
	return rewrite(v, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "result":
			return m.answer(value)
		case name == "content" && m.tools.any.all:
			return m.all(value, false, 0)
		case name == "content":
			return m.values(value, &m.tools.any, 0)
		}
		return m.values(value, nil, 0)
	})
}

// call masks the arguments of a call of a tool, or of those that it calls.
func (m *mask) call(id json.RawMessage, tool string, arguments json.RawMessage, depth int) json.RawMessage {
	of, known := m.tools.tools[tool]
	switch {
	case depth > 3:
		return m.all(arguments, false, 0)
	case !jsonrpc.IsObject(arguments):
		return m.hide(arguments)
	case tool == byName:
		inner, _ := jsonrpc.Text(raw(arguments, "name"))
		return m.calls(id, arguments, "name", inner, depth)
	case tool == bySteps:
		return rewrite(arguments, func(name string, value json.RawMessage) json.RawMessage {
			if name != "steps" {
				return m.values(value, nil, 0)
			}
			return rewriteEach(value, func(step json.RawMessage) json.RawMessage {
				inner, _ := jsonrpc.Text(raw(step, "tool"))
				return m.calls(id, step, "tool", inner, depth)
			})
		})
	case slices.Contains(listing, tool):
		if len(m.lists) < maxListing {
			m.lists[string(id)] = true
		}
		return m.values(arguments, of, 0)
	case !known:
		return m.all(arguments, false, 0)
	case of.all:
		return m.all(arguments, true, 0)
	}
	return m.values(arguments, of, 0)
}

// calls masks an object that has a tool's name, under the name called, and its arguments.
func (m *mask) calls(id, object json.RawMessage, called, tool string, depth int) json.RawMessage {
	return rewrite(object, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case called:
			return value
		case "arguments":
			return m.call(id, tool, value, depth+1)
		}
		return m.values(value, nil, 0)
	})
}

// completed masks the argument that a client wants to be completed.
func (m *mask) completed(argument json.RawMessage) json.RawMessage {
	parameter, _ := jsonrpc.Text(raw(argument, "name"))
	return rewrite(argument, func(name string, value json.RawMessage) json.RawMessage {
		if name == "value" && (m.secret(parameter) || m.tools.any.names[parameter]) {
			return m.hide(value)
		}
		return value
	})
}

// values masks the secrets in a value: the same bytes if there are none. of is the schema of
// what it is in, or nil.
func (m *mask) values(v json.RawMessage, of *schema, depth int) json.RawMessage {
	switch {
	case depth > deepest:
		return maskedJSON
	case len(v) > 0 && v[0] == '[':
		return rewriteEach(v, func(is json.RawMessage) json.RawMessage { return m.values(is, of, depth+1) })
	}
	return rewrite(v, func(name string, value json.RawMessage) json.RawMessage {
		if m.secret(name) || of != nil && of.names[name] {
			return m.hide(value)
		}
		return m.values(value, of, depth+1)
	})
}

// all masks all values, and leaves the names of members.
func (m *mask) all(v json.RawMessage, sure bool, depth int) json.RawMessage {
	switch {
	case len(v) == 0 || string(v) == "null":
		return v
	case depth > deepest:
	case v[0] == '[':
		return rewriteEach(v, func(is json.RawMessage) json.RawMessage { return m.all(is, sure, depth+1) })
	case v[0] == '{':
		return rewrite(v, func(name string, is json.RawMessage) json.RawMessage {
			if m.secret(name) {
				return m.hide(is)
			}
			return m.all(is, sure, depth+1)
		})
	}
	m.known.learn(v, sure)
	return maskedJSON
}

// hide masks a secret value, and remembers it.
func (m *mask) hide(v json.RawMessage) json.RawMessage {
	if string(v) == "null" {
		return v
	}
	m.known.learn(v, true)
	return maskedJSON
}

func (m *mask) secret(name string) bool {
	is, known := m.names[name]
	if !known {
		is = wording.LikelySecret(name) || slices.Contains(m.named, name)
		if len(m.names) < maxNames {
			m.names[strings.Clone(name)] = is
		}
	}
	return is
}

// hub masks what the hub says: where it repeats a secret, and the arguments that it asks
// somebody about. It learns from the lists of tools that are results of calls.
func (m *mask) hub(message json.RawMessage) json.RawMessage {
	head := jsonrpc.Peek(message)
	asks := head.Method != "" && head.ID != nil || bytes.Contains(message, []byte(`"inputRequests"`))
	if m.kind == Everything {
		if asks {
			message = questions(message, withoutQuestion)
		}
		return message
	}
	if head.Response && m.lists[string(head.ID)] {
		delete(m.lists, string(head.ID))
		m.tools.found(raw(message, "result"))
	}
	message = m.repeated(message)
	if asks {
		message = questions(message, func(method string, params json.RawMessage) json.RawMessage {
			if method == elicitMethod {
				m.tools.any.learn(raw(params, "requestedSchema"))
			}
			return m.known.question(params)
		})
	}
	return message
}

// repeated masks the secrets that are known in the texts of a message, but not in what MCP
// needs: ids, names and addresses.
func (m *mask) repeated(message json.RawMessage) json.RawMessage {
	if m.known.texts == nil {
		return message
	}
	tool := ""
	if params := raw(message, "params"); jsonrpc.Peek(message).Method == callMethod {
		tool, _ = jsonrpc.Text(raw(params, "name"))
	}
	return rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "jsonrpc", "id", "method":
			return value
		case "params":
			return m.butFor(value, func(name string) bool { return slices.Contains(protocol, name) },
				func(name string, value json.RawMessage) (json.RawMessage, bool) {
					switch {
					case name == "arguments" && tool == byName:
						return m.butNames(value), true
					case name == "arguments" && tool == bySteps:
						return rewrite(value, func(name string, value json.RawMessage) json.RawMessage {
							if name != "steps" {
								return m.known.mask(value, 0)
							}
							return rewriteEach(value, m.butNames)
						}), true
					}
					return nil, false
				})
		case "result":
			return m.listed(value)
		}
		return m.known.mask(value, 0)
	})
}

// listed is repeated for a result: lists keep the names of what is in them.
func (m *mask) listed(result json.RawMessage) json.RawMessage {
	if m.known.texts == nil {
		return result
	}
	return m.butFor(result, func(name string) bool { return name == "nextCursor" },
		func(name string, value json.RawMessage) (json.RawMessage, bool) {
			switch name {
			case "tools", "prompts", "resources", "resourceTemplates":
				return rewriteEach(value, m.butNames), true
			}
			return nil, false
		})
}

// butNames masks what an object repeats, but not what it is called by.
func (m *mask) butNames(object json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(object) {
		return m.known.mask(object, 0)
	}
	return m.butFor(object, func(name string) bool {
		return name == "name" || name == "uri" || name == "uriTemplate" || name == "tool" || name == "as"
	}, nil)
}

// butFor masks what the members of an object repeat, but for those to keep. special, unless
// it is nil, may mask a member otherwise.
func (m *mask) butFor(object json.RawMessage, keep func(string) bool,
	special func(string, json.RawMessage) (json.RawMessage, bool)) json.RawMessage {
	return rewrite(object, func(name string, value json.RawMessage) json.RawMessage {
		if name == "_meta" {
			return m.butFor(value, func(name string) bool { return name == "progressToken" }, nil)
		}
		if keep(name) {
			return value
		}
		if special != nil {
			if now, done := special(name, value); done {
				return now
			}
		}
		return m.known.mask(value, 0)
	})
}
