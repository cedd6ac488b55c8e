package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/wording"
)

// Mask says which of a client's arguments are left out of the file.
type Mask string

const (
	// Secrets leaves out the values of parameters with names like those of passwords, keys and card numbers, or whose
	// schema says that they are secret.
	Secrets Mask = "secrets"
	// Everything leaves out all arguments, as the audit log does, and writes their hash.
	Everything Mask = "all"
)

// Masked replaces a value that is left out.
const Masked = "[masked]"

var maskedJSON = json.RawMessage(`"` + Masked + `"`)

// maxNames is how many names are remembered, secret or not.
const maxNames = 4096

// deepest is how many levels of a message are searched; deeper values are left out completely.
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

// maxListing is how many calls of the listing tools may be unanswered.
const maxListing = 256

// protocol are members of params that MCP needs, and that are no arguments. They are written unchanged.
var protocol = []string{"name", "uri", "cursor", "level", "protocolVersion", "capabilities", "clientInfo", "requestId",
	"progressToken", "progress", "total", "ref", "notifications", "task", "taskId"}

// mask keeps secrets out of what is written. It belongs to the writer.
type mask struct {
	kind  Mask
	named []string        // parameters that the user calls secret
	names map[string]bool // caches whether a name, without schemas, is secret
	tools schemas
	known known
	lists map[string]bool // ids of calls of hub tools that list tools
}

func newMask(o Options) mask {
	return mask{kind: o.Mask, named: o.Names, names: map[string]bool{}, tools: schemas{tools: map[string]*schema{}},
		lists: map[string]bool{}}
}

// client masks a message of the client. hash is the hash of what the message asks with, if that is left out
// completely. If a message is no object, which the hub refuses, only the fact that it came is written.
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
		case "result": // a person's answer
			return m.answer(value)
		}
		return value
	})), ""
}

func (m *mask) params(head jsonrpc.Head, params json.RawMessage) json.RawMessage {
	tool, _ := jsonrpc.Text(jsonrpc.Member(params, "name"))
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

// answer masks a person's answer. It isn't known which tool asked, so everything is masked that is secret for any
// tool.
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

// call masks the arguments of a call of a tool, or of the tools that it calls.
func (m *mask) call(id json.RawMessage, tool string, arguments json.RawMessage, depth int) json.RawMessage {
	of, known := m.tools.tools[tool]
	switch {
	case depth > 3:
		return m.all(arguments, false, 0)
	case !jsonrpc.IsObject(arguments):
		return m.hide(arguments)
	case tool == byName:
		inner, _ := jsonrpc.Text(jsonrpc.Member(arguments, "name"))
		return m.calls(id, arguments, "name", inner, depth)
	case tool == bySteps:
		return rewrite(arguments, func(name string, value json.RawMessage) json.RawMessage {
			if name != "steps" {
				return m.values(value, nil, 0)
			}
			return rewriteEach(value, func(step json.RawMessage) json.RawMessage {
				inner, _ := jsonrpc.Text(jsonrpc.Member(step, "tool"))
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

// calls masks an object that has a tool's name, in the member called, and its arguments.
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

// completed masks the argument that a client wants to complete.
func (m *mask) completed(argument json.RawMessage) json.RawMessage {
	parameter, _ := jsonrpc.Text(jsonrpc.Member(argument, "name"))
	return rewrite(argument, func(name string, value json.RawMessage) json.RawMessage {
		if name == "value" && (m.secret(parameter) || m.tools.any.names[parameter]) {
			return m.hide(value)
		}
		return value
	})
}

// values masks the secrets in a value; it returns the same bytes if there are none. of is the schema of the enclosing
// tool, or nil.
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

// all masks all values, and keeps the names of members.
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

// hub masks a message of the hub: where it repeats a secret, and the arguments in questions to people. It learns from
// lists of tools in results of calls.
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
		m.tools.found(jsonrpc.Member(message, "result"))
	}
	message = m.repeated(message)
	if asks {
		message = questions(message, func(method string, params json.RawMessage) json.RawMessage {
			if method == elicitMethod {
				m.tools.any.learn(jsonrpc.Member(params, "requestedSchema"))
			}
			return m.known.question(params)
		})
	}
	return message
}

// repeated masks known secrets in the texts of a message, but not in what MCP needs: ids, names and addresses.
func (m *mask) repeated(message json.RawMessage) json.RawMessage {
	if m.known.texts == nil {
		return message
	}
	tool := ""
	if params := jsonrpc.Member(message, "params"); jsonrpc.Peek(message).Method == callMethod {
		tool, _ = jsonrpc.Text(jsonrpc.Member(params, "name"))
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

// listed is repeated for a result: in lists it keeps the names of the entries.
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
