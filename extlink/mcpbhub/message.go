package mcpbhub

import "encoding/json"

// The methods.
const (
	registerTools = "browser/registerTools"
	updateTools   = "browser/updateTools"
	executeTool   = "browser/executeTool"

	// elicitConfirmation is the name that MCP-B reserves and gives no params;
	// here it has those of MCP's elicitation/create, with which it is answered.
	elicitConfirmation = "browser/elicitConfirmation"

	// MCP's own.
	elicit    = "elicitation/create"
	sample    = "sampling/createMessage"
	listRoots = "roots/list"
	progress  = "notifications/progress"
	cancelled = "notifications/cancelled"
)

// Error codes of JSON-RPC and of MCP-B.
const (
	TabNotFound    = -32001
	methodNotFound = -32601
	invalidParams  = -32602
	invalidRequest = -32600
)

// Capabilities is what an MCP-B hub declares under "browser".
type Capabilities struct {
	MultiTabSupport bool `json:"multiTabSupport"`
	CacheSupported  bool `json:"cacheSupported"`
	Elicitation     bool `json:"elicitation"`
}

// rpc is any message, as far as it is looked at.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// registration is the params of registerTools and updateTools.
type registration struct {
	Tools      json.RawMessage            `json:"tools"`
	TabURL     *string                    `json:"tabUrl"`
	Extensions map[string]json.RawMessage `json:"extensions"`
}

// registered is the result of registerTools and updateTools, where the proxy
// wants one.
type registered struct {
	Refused []refusedTool `json:"refused,omitempty"`
}

// refusedTool is a tool that was left out.
type refusedTool struct {
	Name string `json:"name,omitempty"` // cut to 128 bytes
	Why  string `json:"why"`
}

// execution is the params of executeTool.
type execution struct {
	ToolName   string                     `json:"toolName"`
	Args       json.RawMessage            `json:"args"`
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	Meta       json.RawMessage            `json:"_meta,omitempty"`
}

// executed is the result of executeTool.
type executed struct {
	Success    *bool           `json:"success"`
	Payload    json.RawMessage `json:"payload"`
	Meta       json.RawMessage `json:"_meta"`
	Extensions json.RawMessage `json:"extensions"`
}

// What the extension's wire has, see package extlink. The proxy's only tab is
// number 1.
type (
	extBrowser struct {
		Name     string `json:"name"`
		Version  string `json:"version"`
		Instance string `json:"instance,omitempty"`
		Fixed    bool   `json:"fixed"`
	}
	extTab struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		URL    string `json:"url"`
		Doc    string `json:"doc"`
		Active bool   `json:"active"`
	}
	extMessage struct {
		Type      string          `json:"type"`
		Browser   any             `json:"browser,omitempty"` // an *extBrowser, or *Capabilities with tools
		Tabs      []extTab        `json:"tabs,omitempty"`
		Tab       *extTab         `json:"tab,omitempty"`
		TabID     int             `json:"tabId,omitempty"`
		Doc       string          `json:"doc,omitempty"`
		Tools     json.RawMessage `json:"tools,omitempty"`
		CallID    string          `json:"callId,omitempty"`
		Result    json.RawMessage `json:"result,omitempty"`
		Error     *string         `json:"error,omitempty"`
		RequestID string          `json:"requestId,omitempty"`
		Method    string          `json:"method,omitempty"`
		Params    json.RawMessage `json:"params,omitempty"`
		Meta      json.RawMessage `json:"_meta,omitempty"`
	}
	extOrder struct {
		Type, CallID, RequestID, ToolName string

		Args       json.RawMessage
		Meta       json.RawMessage `json:"_meta"`
		Extensions map[string]json.RawMessage
		Result     json.RawMessage
		Error      *rpcError
	}
)
