package recording

import (
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// leftOut replaces a question that may contain arguments.
const leftOut = "What was asked here is left out of the recording (--record-mask=all)."

// withoutArguments returns the parts of a client's message that MCP needs. hash is the hash of a call's arguments.
// For another request it is the hash of all its params without _meta, if some of them are left out.
func withoutArguments(message json.RawMessage) (left json.RawMessage, hash string) {
	calls := jsonrpc.Peek(message).Method == callTool
	return jsonrpc.Rewrite(message, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "jsonrpc", "id", "method":
			return value
		case "result": // a person's answer
			return json.RawMessage("{}")
		case "error":
			return jsonrpc.Rewrite(value, func(name string, value json.RawMessage) json.RawMessage {
				if name == "code" {
					return value
				}
				return maskedJSON
			})
		case "params":
			if calls {
				if arguments := jsonrpc.Member(value, "arguments"); arguments != nil {
					hash = jsonrpc.HashArguments(arguments)
				}
			}
			return jsonrpc.Rewrite(value, func(name string, is json.RawMessage) json.RawMessage {
				switch {
				case slices.Contains(protocol, name):
					return is
				case name == "_meta":
					return jsonrpc.Rewrite(is, keepMeta)
				case name == "inputResponses":
					return json.RawMessage("{}")
				case !calls:
					hash = jsonrpc.HashArguments(withoutMeta(value))
				}
				return nil
			})
		}
		return nil
	}), hash
}

// withoutMeta returns params without their _meta.
func withoutMeta(params json.RawMessage) json.RawMessage {
	return jsonrpc.Rewrite(params, func(name string, is json.RawMessage) json.RawMessage {
		if name == "_meta" {
			return nil
		}
		return is
	})
}

// keepMeta keeps the protocol's own members of _meta.
func keepMeta(name string, is json.RawMessage) json.RawMessage {
	if name == "progressToken" || strings.HasPrefix(name, "io.modelcontextprotocol/") {
		return is
	}
	return nil
}

// questions rewrites the params of what the hub asks: those of its request, or of the requests within its result
// (inputRequests).
func questions(message json.RawMessage,
	params func(method string, params json.RawMessage) json.RawMessage) json.RawMessage {
	rewrite := func(request json.RawMessage) json.RawMessage {
		method, _ := jsonrpc.Text(jsonrpc.Member(request, "method"))
		return jsonrpc.Rewrite(request, func(name string, is json.RawMessage) json.RawMessage {
			if name == "params" {
				return params(method, is)
			}
			return is
		})
	}
	if jsonrpc.Member(message, "method") != nil {
		return rewrite(message)
	}
	return jsonrpc.Rewrite(message, func(name string, is json.RawMessage) json.RawMessage {
		if name != "result" {
			return is
		}
		return jsonrpc.Rewrite(is, func(name string, is json.RawMessage) json.RawMessage {
			if name != "inputRequests" {
				return is
			}
			return jsonrpc.Rewrite(is, func(_ string, request json.RawMessage) json.RawMessage {
				return rewrite(request)
			})
		})
	})
}

// withoutQuestion keeps only the form of the hub's question, not its text, because the hub's question whether the
// agent may do something contains the arguments.
func withoutQuestion(method string, params json.RawMessage) json.RawMessage {
	return jsonrpc.Rewrite(params, func(name string, is json.RawMessage) json.RawMessage {
		switch {
		case name == "_meta":
			return jsonrpc.Rewrite(is, keepMeta)
		case name == "mode" || name == "maxTokens" || name == "elicitationId":
			return is
		case name == "requestedSchema" && method == elicit:
			return is
		case name == "message":
			return jsonrpc.MustEncode(leftOut)
		case name == "messages":
			return jsonrpc.MustEncode([]any{map[string]any{"role": "user",
				"content": map[string]any{"type": "text", "text": leftOut}}})
		}
		return nil
	})
}
