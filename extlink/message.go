package extlink

import "encoding/json"

// Message is what the extension says: one of the types below.
type Message interface{ message() }

// Ping keeps the connection alive; the dialect answers it.
type Ping struct{}

// Connected answers [Connect]. It is complete: tabs that are not in it are gone.
type Connected struct {
	Browser Browser
	Tabs    []Tab
}

// Browser says which browser it is.
type Browser struct {
	Name, Version string
	// Instance distinguishes this browser's profile from others: 1 to 64 letters, digits and hyphens; "" if the peer
	// doesn't say.
	Instance string
	// Fixed says that the peer opens, focuses and closes no tabs.
	Fixed bool
	// Automation says that the extension may debug tabs, see [DebuggerAttach].
	Automation bool
	// AgentStatus says that the extension wants [AgentStatus].
	AgentStatus bool
}

// SetPaused says that the user has paused all agents, or those on one site, or lets them go on.
type SetPaused struct {
	Origin string // of the site; "" means all agents
	Paused bool
}

// SetPermission says what the user has chosen for a site.
type SetPermission struct {
	Origin     string
	Permission string // "allow", "ask", "never", or "default" for what the hub's rules say
}

// Disconnected says that the browser is closing.
type Disconnected struct{}

// TabCreated says that there is a new tab.
type TabCreated struct{ Tab Tab }

// TabUpdated says that a tab's title, address or document has changed.
type TabUpdated struct{ Tab Tab }

// TabClosed says that a tab is gone.
type TabClosed struct{ TabID TabID }

// TabFocused says that the user looks at a tab, and which tools it has.
type TabFocused struct{ ToolsChanged }

// ToolsChanged has all tools of a tab.
type ToolsChanged struct {
	TabID TabID
	Doc   string // the tab's main document to which they belong, "" if not said
	// Origin is that document's origin, as the browser reports it, or "".
	Origin string
	Tools  []Tool
	// Browser is what MCP servers of the tab's documents declare, together.
	Browser Capabilities
	// Malformed says about each tool that was left out what was wrong with it.
	Malformed []string
}

// Capabilities are MCP-B's, which a server declares under capabilities.browser.
type Capabilities struct {
	MultiTabSupport bool `json:"multiTabSupport"`
	CacheSupported  bool `json:"cacheSupported"`
	Elicitation     bool `json:"elicitation"`
}

// ToolResult answers [CallTool]. Error, if not empty, says what went wrong.
type ToolResult struct {
	CallID string
	Result json.RawMessage // nil if there is none
	Error  string
	Failed bool // there was an error, which may be empty
	// NotBegun says that the tab is gone and the tool has not begun. A [TabClosed] follows.
	NotBegun bool
	// Leaves says that the tool has made its page leave its document. Another result, with the next document's data,
	// follows.
	Leaves bool
	// OpenedTab is the tab that shows the tool's result, 0 if there is none.
	OpenedTab TabID
	// Meta is the result's _meta, sent beside Result or Error; an object, or nil.
	Meta json.RawMessage
}

// ToolProgress has the params of a progress notification, an object.
type ToolProgress struct {
	CallID string
	Params json.RawMessage
}

// OrderResult answers [OpenTab], [FocusTab] or [CloseTab].
type OrderResult struct {
	RequestID string
	TabID     TabID // 0 if not said
	Error     string
}

// PageRequest is a request of a page's own MCP server to the agent, such as elicitation/create. [PageAnswer] answers
// it.
type PageRequest struct {
	TabID     TabID
	RequestID string // the peer's; 1 to 256 bytes
	Method    string
	Params    json.RawMessage // an object, or nil
}

// PageRequestCancelled says that nobody waits for the answer any more.
type PageRequestCancelled struct {
	TabID     TabID
	RequestID string
}

// DebuggerReply answers [DebuggerAttach], with ID 0, or [DebuggerCommand].
type DebuggerReply struct {
	TabID   TabID
	ID      uint64
	Attempt uint64          // the attempt of the DebuggerAttach; 0 if the extension doesn't say
	Result  json.RawMessage // an object, or nil
	Error   *AnswerError
}

// DebuggerEvent is a CDP event of a tab that is debugged.
type DebuggerEvent struct {
	TabID   TabID
	Session string // of a frame; "" for the tab's own
	Method  string
	Params  json.RawMessage // an object, or nil
}

// DebuggerDetached says that a tab is no longer debugged, and why.
type DebuggerDetached struct {
	TabID  TabID
	Reason string // Chrome's: target_closed or canceled_by_user; or the extension's own sentence
}

// TabID is the browser's own number of a tab, from 1.
type TabID int64

// Tab is one tab.
type Tab struct {
	ID         TabID
	Title, URL string
	Doc        string // changes with the tab's main document; "" if not said
	Active     bool   // it is in front of its window
	// Error says why the tab shows the browser's error page, in Chrome's words (net::ERR_CONNECTION_REFUSED); "" if
	// it shows none.
	Error string
}

// Tool is a tool as the page registered it.
type Tool struct {
	Name, Title, Description string
	InputSchema              json.RawMessage // an object, or nil
	OutputSchema             json.RawMessage // an object, or nil
	Meta                     json.RawMessage // the tool's _meta, an object, or nil
	Annotations              Annotations
	// Runtime is the extension's word for the kind of tool, [RuntimeForm] or [RuntimeDOM]; "" if it doesn't say.
	Runtime  string
	FrameID  int64 // 0 is the main frame
	FrameURL string
	// Origin is the document's origin as the browser reports it ("null" if it is opaque), or "".
	Origin string
	Doc    string // the frame's document, "" if not said
}

// These are the values of [Tool.Runtime].
const (
	RuntimeForm = "form" // a form with toolname, where Chrome has no WebMCP of its own
	RuntimeDOM  = "dom"  // made from the content of the page, for [Connect.Introspect]
)

// Annotations are a tool's hints; nil means "not said".
type Annotations struct {
	ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
	ConsequentialHint, UntrustedContentHint                      *bool
	Cache                                                        *bool // MCP-B's
}

func (Ping) message()         {}
func (Connected) message()    {}
func (Disconnected) message() {}
func (TabCreated) message()   {}
func (TabUpdated) message()   {}
func (TabClosed) message()    {}
func (TabFocused) message()   {}
func (ToolsChanged) message() {}
func (ToolResult) message()   {}
func (ToolProgress) message() {}
func (OrderResult) message()  {}

func (DebuggerReply) message()    {}
func (DebuggerEvent) message()    {}
func (DebuggerDetached) message() {}

func (SetPaused) message()     {}
func (SetPermission) message() {}

func (PageRequest) message()          {}
func (PageRequestCancelled) message() {}
