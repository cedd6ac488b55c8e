package extlink

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// Order is a message of the hub to the peer: one of the types below.
type Order interface{ kind() string }

// Pong answers [Ping].
type Pong struct{}

// Connect asks for [Connected]. If Introspect is true, the extension makes tools for pages that have none, until the
// connection ends.
type Connect struct {
	Launch     bool `json:"launch,omitempty"`
	Introspect bool `json:"introspect,omitempty"`
	// LegacyModelContext, if not nil, asks for navigator.modelContext in pages, until the connection ends or another
	// Connect says otherwise.
	LegacyModelContext *LegacyModelContext `json:"legacyModelContext,omitempty"`
	// Origins are the rules that say where the extension's scripts may work; nil means everywhere. The extension keeps
	// them until another Connect comes, even without a connection. Package registry/names makes them.
	Origins json.RawMessage `json:"origins,omitempty"`
}

// LegacyModelContext selects pages by Chrome's match patterns. Empty Matches selects none.
type LegacyModelContext struct {
	Matches        []string `json:"matches"`
	ExcludeMatches []string `json:"excludeMatches,omitempty"`
}

// OpenTab opens a tab. An [OrderResult] with the same RequestID answers it.
type OpenTab struct {
	URL       string `json:"url"`
	Focus     bool   `json:"focus"`
	RequestID string `json:"requestId,omitempty"`
}

// FocusTab brings a tab to the front of its window.
type FocusTab struct {
	TabID     TabID  `json:"tabId"`
	RequestID string `json:"requestId,omitempty"`
}

// CloseTab closes a tab.
type CloseTab struct {
	TabID     TabID  `json:"tabId"`
	RequestID string `json:"requestId,omitempty"`
}

// CallTool calls a tool. Args is a JSON object.
type CallTool struct {
	CallID    string          `json:"callId"`
	TabID     TabID           `json:"tabId"`
	ToolName  string          `json:"toolName"`
	Args      json.RawMessage `json:"args"`
	FrameID   int64           `json:"frameId"`
	Doc       string          `json:"doc,omitempty"`       // the frame's document
	TimeoutMs int64           `json:"timeoutMs,omitempty"` // how long the hub waits for the result
	// Meta is the _meta of the MCP call, and Extensions are MCP-B's extensions. Each is an object or nil. If Meta has
	// a progressToken, the token is the CallID, and the hub wants [ToolProgress].
	Meta       json.RawMessage `json:"_meta,omitempty"`
	Extensions json.RawMessage `json:"extensions,omitempty"`
}

// CancelTool says that nobody waits for a call any more.
type CancelTool struct {
	CallID string `json:"callId"`
}

// PageAnswer answers a [PageRequest] with a Result or an Error, as in JSON-RPC.
type PageAnswer struct {
	RequestID string          `json:"requestId"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *AnswerError    `json:"error,omitempty"`
}

// DebuggerAttach makes the extension debug a tab by chrome.debugger, for which Chrome shows a banner. A
// [DebuggerReply] with ID 0 and the same attempt answers it. The result has the targetId.
type DebuggerAttach struct {
	TabID   TabID  `json:"tabId"`
	Attempt uint64 `json:"attempt,omitempty"` // distinguishes the answers to two DebuggerAttach; at least 1
}

// DebuggerCommand is a CDP command for a tab that is being debugged. ID is at least 1.
type DebuggerCommand struct {
	TabID   TabID           `json:"tabId"`
	ID      uint64          `json:"id"`
	Session string          `json:"sessionId,omitempty"` // a frame's session; "" for the tab's own
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// DebuggerDetach ends debugging a tab. The extension doesn't answer it.
type DebuggerDetach struct {
	TabID TabID `json:"tabId"`
}

// AgentStatus has everything that the user has set for agents, for browsers with [Browser.AgentStatus]. It is sent
// after [Connected] and after each change. Members are never null.
type AgentStatus struct {
	Paused bool `json:"paused"` // all agents are paused
	// PausedOrigins are the sites on which agents are paused, and PausedTabs the tabs that are paused on the live page.
	PausedOrigins []string `json:"pausedOrigins"`
	PausedTabs    []TabID  `json:"pausedTabs"`
	// Permissions are those that [SetPermission] has set, by the origins of the sites.
	Permissions map[string]string `json:"permissions"`
}

// AnswerError says why a request of a page has no result.
type AnswerError = jsonrpc.Error

func (Pong) kind() string       { return "pong" }
func (Connect) kind() string    { return "connect" }
func (OpenTab) kind() string    { return "openTab" }
func (FocusTab) kind() string   { return "focusTab" }
func (CloseTab) kind() string   { return "closeTab" }
func (CallTool) kind() string   { return "callTool" }
func (CancelTool) kind() string { return "cancelTool" }
func (PageAnswer) kind() string { return "pageAnswer" }

func (AgentStatus) kind() string { return "agentStatus" }

func (DebuggerAttach) kind() string  { return "debuggerAttach" }
func (DebuggerCommand) kind() string { return "debuggerCommand" }
func (DebuggerDetach) kind() string  { return "debuggerDetach" }

// Encode encodes an order for the wire. It returns an error if arguments are not JSON, or if the extension would
// refuse the rules for origins.
func Encode(o Order) ([]byte, error) {
	if c, ok := o.(Connect); ok {
		if err := checkOrigins(c.Origins); err != nil {
			return nil, err
		}
	}
	members, err := jsonrpc.Encode(o)
	if err != nil {
		return nil, err
	}
	head := `{"type":"` + o.kind() + `"`
	if string(members) != "{}" {
		head += ","
	}
	return append([]byte(head), members[1:]...), nil
}
