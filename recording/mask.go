package recording

import (
	"bytes"
	"encoding/json"
	"slices"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/mask"
)

// Mask says which of a client's arguments are left out of the file.
type Mask string

const (
	// Secrets leaves out what package mask takes for a secret: by its name, its value, its schema, or the field of the
	// page that it is for.
	Secrets Mask = "secrets"
	// Everything leaves out all arguments, as the audit log does, and writes their hash.
	Everything Mask = "all"
)

// Masked replaces a value that is left out.
const Masked = mask.Masked

var maskedJSON = json.RawMessage(`"` + Masked + `"`)

// deepest is how many levels of a message are searched; deeper values are left out completely.
const deepest = 64

// The hub's own tools by which others are called and listed.
const (
	byName  = "call_webmcp_tool"
	bySteps = "call_webmcp_tools"
)

var listing = []string{"list_webmcp_tools", "find_webmcp_tools"}

// maxListing is how many calls of the listing tools may be unanswered.
const maxListing = 256

// protocol are members of params that MCP needs, and that are no arguments. They are written unchanged.
var protocol = []string{"name", "uri", "cursor", "level", "protocolVersion", "capabilities", "clientInfo", "requestId",
	"progressToken", "progress", "total", "ref", "notifications", "task", "taskId", "requestState"}

// masking keeps secrets out of what is written. It belongs to the writer.
type masking struct {
	kind   Mask
	tools  schemas
	known  known
	lists  map[string]bool // ids of calls of hub tools that list tools
	fields mask.Fields
}

func newMasking(o Options) masking {
	return masking{kind: o.Mask, tools: schemas{tools: map[string]*mask.Schema{}},
		lists: map[string]bool{}, known: known{masker: mask.Masker{Emails: o.Emails, Names: o.Names}}}
}

// client masks a message of the client. hash is the hash of what the message asks with, if that is left out
// completely. If a message is no object, which the hub refuses, only the fact that it came is written.
func (m *masking) client(message json.RawMessage) (masked json.RawMessage, hash string) {
	switch {
	case !jsonrpc.IsObject(message):
		return maskedJSON, ""
	case m.kind == Everything:
		return withoutArguments(message)
	}
	head := jsonrpc.Peek(message)
	return m.repeated(jsonrpc.Rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "params":
			return m.params(head, value)
		case "result": // a person's answer
			return m.answer(value)
		}
		return value
	})), ""
}

func (m *masking) params(head jsonrpc.Head, params json.RawMessage) json.RawMessage {
	tool, _ := jsonrpc.Text(jsonrpc.Member(params, "name"))
	return jsonrpc.Rewrite(params, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "_meta" || slices.Contains(protocol, name):
			return value
		case name == "arguments" && head.Method == callTool:
			return m.call(head.ID, tool, value, 0)
		case name == "argument" && head.Method == complete:
			return m.completed(value)
		case name == "inputResponses":
			return jsonrpc.Rewrite(value, func(_ string, answer json.RawMessage) json.RawMessage { return m.answer(answer) })
		case name != "arguments" && m.secret(name):
			return m.hide(value)
		}
		return m.values(value, nil, 0)
	})
}

// answer masks a person's answer. It isn't known which tool asked, so everything is masked that is secret for any
// tool.
func (m *masking) answer(v json.RawMessage) json.RawMessage {
	return jsonrpc.Rewrite(v, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "result":
			return m.answer(value)
		case name == "content" && m.tools.any.All:
			return m.all(value, false, 0)
		case name == "content":
			return m.values(value, &m.tools.any, 0)
		}
		return m.values(value, nil, 0)
	})
}

// call masks the arguments of a call of a tool, or of the tools that it calls.
func (m *masking) call(id json.RawMessage, tool string, arguments json.RawMessage, depth int) json.RawMessage {
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
		return jsonrpc.Rewrite(arguments, func(name string, value json.RawMessage) json.RawMessage {
			if name != "steps" {
				return m.values(value, nil, 0)
			}
			return jsonrpc.RewriteEach(value, func(step json.RawMessage) json.RawMessage {
				inner, _ := jsonrpc.Text(jsonrpc.Member(step, "tool"))
				return m.calls(id, step, "tool", inner, depth)
			})
		})
	case slices.Contains(listing, tool):
		if len(m.lists) < maxListing {
			m.lists[string(id)] = true
		}
		return m.values(arguments, of, 0)
	case mask.Types(tool):
		return m.values(m.fields.Arguments(tool, arguments, m.hide), of, 0)
	case !known:
		m.fields.Use(arguments)
		return m.all(arguments, false, 0)
	case of.All:
		return m.all(arguments, true, 0)
	}
	m.fields.Use(arguments)
	return m.values(arguments, of, 0)
}

// calls masks an object that has a tool's name, in the member called, and its arguments.
func (m *masking) calls(id, object json.RawMessage, called, tool string, depth int) json.RawMessage {
	return jsonrpc.Rewrite(object, func(name string, value json.RawMessage) json.RawMessage {
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
func (m *masking) completed(argument json.RawMessage) json.RawMessage {
	parameter, _ := jsonrpc.Text(jsonrpc.Member(argument, "name"))
	return jsonrpc.Rewrite(argument, func(name string, value json.RawMessage) json.RawMessage {
		if name == "value" && (m.secret(parameter) || m.tools.any.Named(parameter)) {
			return m.hide(value)
		}
		return value
	})
}

// values masks the secrets in a value; it returns the same bytes if there are none. of is the schema of the enclosing
// tool, or nil.
func (m *masking) values(v json.RawMessage, of *mask.Schema, depth int) json.RawMessage {
	switch {
	case depth > deepest:
		return maskedJSON
	case len(v) > 0 && v[0] == '[':
		return jsonrpc.RewriteEach(v, func(is json.RawMessage) json.RawMessage { return m.values(is, of, depth+1) })
	}
	return jsonrpc.Rewrite(v, func(name string, value json.RawMessage) json.RawMessage {
		if m.secret(name) || of.Named(name) || shaped(name, value) {
			return m.hide(value)
		}
		return m.values(value, of, depth+1)
	})
}

// all masks all values, and keeps the names of members.
func (m *masking) all(v json.RawMessage, sure bool, depth int) json.RawMessage {
	switch {
	case len(v) == 0 || string(v) == "null":
		return v
	case depth > deepest:
	case v[0] == '[':
		return jsonrpc.RewriteEach(v, func(is json.RawMessage) json.RawMessage { return m.all(is, sure, depth+1) })
	case v[0] == '{':
		return jsonrpc.Rewrite(v, func(name string, is json.RawMessage) json.RawMessage {
			if m.secret(name) {
				return m.hide(is)
			}
			return m.all(is, sure, depth+1)
		})
	}
	m.known.learn(v, sure)
	return maskedJSON
}

// shaped reports whether a text or a number is secret because of its shape and its name.
func shaped(name string, v json.RawMessage) bool {
	v = bytes.Trim(v, `"`)
	return len(v) > 0 && v[0] >= '0' && v[0] <= '9' && mask.Likely(name, string(v))
}

// hide masks a secret value, and remembers it.
func (m *masking) hide(v json.RawMessage) json.RawMessage {
	if string(v) == "null" {
		return v
	}
	m.known.learn(v, true)
	return maskedJSON
}

func (m *masking) secret(name string) bool { return m.known.masker.Name(name) }

// hub masks a message of the hub: secrets, and the arguments in questions to people. It learns from lists of tools and
// from snapshots of pages in results of calls.
func (m *masking) hub(message json.RawMessage) json.RawMessage {
	head := jsonrpc.Peek(message)
	asks := head.Method != "" && head.ID != nil || bytes.Contains(message, []byte(`"inputRequests"`))
	if m.kind == Everything {
		if asks {
			message = questions(message, withoutQuestion)
		}
		return m.repeated(message)
	}
	if head.Response && m.lists[string(head.ID)] {
		delete(m.lists, string(head.ID))
		m.tools.found(jsonrpc.Member(message, "result"))
	}
	if head.Response {
		m.fields.Result(jsonrpc.Member(message, "result"))
	}
	message = m.repeated(message)
	if asks {
		message = questions(message, func(method string, params json.RawMessage) json.RawMessage {
			if method == elicit {
				m.tools.any.Learn(jsonrpc.Member(params, "requestedSchema"))
			}
			return m.known.question(params)
		})
	}
	return message
}

// repeated masks secrets in the texts of a message, known ones and others, but not in what MCP needs: ids, names and
// addresses.
func (m *masking) repeated(message json.RawMessage) json.RawMessage {
	tool := ""
	if params := jsonrpc.Member(message, "params"); jsonrpc.Peek(message).Method == callTool {
		tool, _ = jsonrpc.Text(jsonrpc.Member(params, "name"))
	}
	return jsonrpc.Rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
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
						return jsonrpc.Rewrite(value, func(name string, value json.RawMessage) json.RawMessage {
							if name != "steps" {
								return m.known.mask(name, value, 0)
							}
							return jsonrpc.RewriteEach(value, m.butNames)
						}), true
					}
					return nil, false
				})
		case "result":
			return m.listed(value)
		}
		return m.known.mask(name, value, 0)
	})
}

// listed is repeated for a result: in lists it keeps the names of the entries.
func (m *masking) listed(result json.RawMessage) json.RawMessage {
	return m.butFor(result, func(name string) bool { return name == "nextCursor" || name == "requestState" },
		func(name string, value json.RawMessage) (json.RawMessage, bool) {
			switch name {
			case "tools", "prompts", "resources", "resourceTemplates":
				return jsonrpc.RewriteEach(value, m.butNames), true
			}
			return nil, false
		})
}

// butNames masks what an object repeats, but not what it is called by.
func (m *masking) butNames(object json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(object) {
		return m.known.mask("", object, 0)
	}
	return m.butFor(object, func(name string) bool {
		return name == "name" || name == "uri" || name == "uriTemplate" || name == "tool" || name == "as"
	}, nil)
}

// butFor masks what the members of an object repeat, but for those to keep. special, unless
// it is nil, may mask a member otherwise.
func (m *masking) butFor(object json.RawMessage, keep func(string) bool,
	special func(string, json.RawMessage) (json.RawMessage, bool)) json.RawMessage {
	return jsonrpc.Rewrite(object, func(name string, value json.RawMessage) json.RawMessage {
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
		return m.known.mask(name, value, 0)
	})
}
