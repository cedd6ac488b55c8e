package mcpserver

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// params are the params of the requests that the hub answers itself. Objects are nil if they are missing.
type params struct {
	name                   string
	arguments              json.RawMessage // any JSON, or nil
	cursor                 string
	uri                    string
	ref, argument, context json.RawMessage // objects
	misfit                 string          // one of uri, ref, argument, context and arguments that has the wrong type
	peek                   bool            // the client doesn't read the list that it gets, see [sanitize.PeekKey]
	// For pages that accept them, see [registry.HubTool.MetaForPage].
	meta, extensions json.RawMessage // objects

	// In protocol 2026-07-28, from the second round on:
	state   string          // requestState
	answers json.RawMessage // inputResponses, an object

	// From _meta:
	token        json.RawMessage // progressToken, or nil
	version      string          // of the protocol, in requests of 2026-07-28 or later
	client       string          // the name that the client gives itself there, or ""
	capabilities json.RawMessage
	tasks        bool   // the client of a call supports tasks
	logs         string // the least level of log messages that the client wants; "" for none
}

func readParams(m *jsonrpc.Message) (p params, err *jsonrpc.Error) {
	for name, value := range jsonrpc.Members(m.Params) {
		ok, fits := true, true
		switch name {
		case "name":
			p.name, ok = jsonrpc.Text(value)
		case "arguments":
			p.arguments, fits = value, jsonrpc.IsObject(value) || string(value) == "null"
		case "cursor":
			p.cursor, ok = jsonrpc.Text(value)
			ok = ok || string(value) == "null"
		case "uri":
			p.uri, fits = jsonrpc.Text(value)
		case "ref":
			p.ref, fits = value, jsonrpc.IsObject(value)
		case "argument":
			p.argument, fits = value, jsonrpc.IsObject(value)
		case "context":
			p.context, fits = value, jsonrpc.IsObject(value)
		case "_meta":
			p.readMeta(value)
		case "requestState":
			p.state, _ = jsonrpc.Text(value)
		case "inputResponses":
			if jsonrpc.IsObject(value) {
				p.answers = value
			}
		case "extensions":
			if jsonrpc.IsObject(value) {
				p.extensions = value
			}
		}
		if !ok {
			err = wrongType(name, m)
		}
		if !fits {
			p.misfit = name
		}
	}
	return p, err
}

func wrongType(name string, m *jsonrpc.Message) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%q has the wrong type in the params of %s", name, m.Method)
}

// readMeta reads _meta. It ignores members of the wrong type.
func (p *params) readMeta(meta json.RawMessage) {
	if !jsonrpc.IsObject(meta) {
		return
	}
	p.meta = meta
	for name, value := range jsonrpc.Members(meta) {
		switch name {
		case "progressToken":
			if jsonrpc.ValidID(value) {
				p.token = value
			}
		case mcp.MetaKeyProtocolVersion:
			p.version, _ = jsonrpc.Text(value)
		case sanitize.PeekKey:
			p.peek = string(value) == "true"
		case mcp.MetaKeyLogLevel:
			p.logs, _ = jsonrpc.Text(value)
		case mcp.MetaKeyClientInfo:
			p.client, _ = jsonrpc.Text(jsonrpc.Member(value, "name"))
		case mcp.MetaKeyClientCapabilities:
			p.capabilities = value
		}
	}
}

// modern reports whether the request uses protocol 2026-07-28 or later, which has no initialize and puts the version
// into each request.
func (p *params) modern() bool { return mcp.IsModernProtocol(p.version) }

// sound reports whether the hub can answer the request itself: the request uses an older protocol, or it is a correct
// one of the modern protocol. mcp-go refuses the others.
func (p *params) sound() bool {
	return !p.modern() || mcp.IsValidProtocolVersion(p.version) && jsonrpc.IsObject(p.capabilities)
}
