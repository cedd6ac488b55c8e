package mcpserver

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// toolParams are the params of tools/list and tools/call.
type toolParams struct {
	name      string
	arguments json.RawMessage
	cursor    string
	peek      bool // the client doesn't read what it gets: see [sanitize.PeekKey]
	// For pages that take them: see [registry.HubTool.MetaForPage].
	meta, extensions json.RawMessage // objects, or nil

	// Of protocol 2026-07-28, from the second round on:
	state   string          // requestState
	answers json.RawMessage // inputResponses, an object, or nil

	// From _meta:
	token        json.RawMessage // progressToken, or nil
	version      string          // of the protocol, in modern requests
	client       string          // how the client calls itself there, "" if it doesn't say
	capabilities json.RawMessage
	tasks        bool   // a call whose client knows tasks
	logs         string // the least level of log messages that the client wants, "" for none
}

func readToolParams(m *jsonrpc.Message) (p toolParams, err *jsonrpc.Error) {
	for name, value := range jsonrpc.Members(m.Params) {
		ok := true
		switch name {
		case "name":
			p.name, ok = jsonrpc.Text(value)
		case "arguments":
			p.arguments = value
		case "cursor":
			p.cursor, ok = jsonrpc.Text(value)
			ok = ok || string(value) == "null"
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
			err = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%q must be a string in the params of %s", name, m.Method)
		}
	}
	return p, err
}

// readMeta reads _meta. Members of the wrong type count as not given.
func (p *toolParams) readMeta(meta json.RawMessage) {
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
			for name, value := range jsonrpc.Members(value) {
				if name == "name" {
					p.client, _ = jsonrpc.Text(value)
				}
			}
		case mcp.MetaKeyClientCapabilities:
			p.capabilities = value
		}
	}
}

// modern says whether the request is of protocol 2026-07-28 or later, which
// has no initialize and puts its version into each request.
func (p *toolParams) modern() bool { return mcp.IsModernProtocol(p.version) }

// sound says whether we can answer the request ourselves: it is of the older
// protocols, or a good one of the modern one. mcp-go knows how to refuse others.
func (p *toolParams) sound() bool {
	return !p.modern() || mcp.IsValidProtocolVersion(p.version) && jsonrpc.IsObject(p.capabilities)
}
