package extlink

import "encoding/json"

// Message is a message of the extension: one of the types below.
type Message interface{ message() }

// Ping keeps the connection alive. The dialect answers it.
type Ping struct{}

// Connected answers [Connect]. It lists all tabs: tabs that it doesn't list are gone.
type Connected struct {
	Browser Browser
	Tabs    []Tab
}

// Browser describes the browser to which the peer belongs.
type Browser struct {
	Name, Version string
	// Instance distinguishes this browser's profile from others: 1 to 64 letters, digits and hyphens, or "" if the
	// peer doesn't have one.
	Instance string
	// Fixed says that the peer can't open, focus or close tabs.
	Fixed bool
	// Automation says that the extension may debug tabs; see [DebuggerAttach].
	Automation bool
	// AgentStatus says that the hub should send [AgentStatus] to the extension.
	AgentStatus bool
}

// SetPaused says that the user has paused all agents, or those on one site, or lets them go on.
type SetPaused struct {
	Origin string // the site's origin; "" means all agents
	Paused bool
}

// SetPermission reports the user's choice for a site.
type SetPermission struct {
	Origin     string
	Permission string // "allow", "ask", "never", or "default", which leaves it to the hub's rules
}

// Disconnected says that the browser is closing.
type Disconnected struct{}

// TabCreated says that there is a new tab.
type TabCreated struct{ Tab Tab }

// TabUpdated says that a tab's title, address or document has changed.
type TabUpdated struct{ Tab Tab }

// TabClosed says that a tab is gone.
type TabClosed struct{ TabID TabID }

// TabFocused says that the user looks at a tab, and has all tools of the tab.
type TabFocused struct{ ToolsChanged }

// ToolsChanged has all tools of a tab.
type ToolsChanged struct {
	TabID TabID
	Doc   string // the tab's main document, to which the tools belong; "" if unknown
	// Origin is that document's origin, as the browser reports it, or "".
	Origin string
	Tools  []Tool
	// Browser has the capabilities that MCP servers in the tab's documents declare, together.
	Browser Capabilities
	// Malformed says what is wrong with each tool that was left out.
	Malformed []string
}

// Capabilities are MCP-B's capabilities, which a server declares under capabilities.browser.
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
	// NotBegun says that the tool has not begun, because the tab is gone. A [TabClosed] follows.
	NotBegun bool
	// Leaves says that the tool has made its page leave the document. Another result follows, with the data of the
	// next document.
	Leaves bool
	// OpenedTab is the tab that shows the tool's result, or 0.
	OpenedTab TabID
	// Meta is the result's _meta, which was sent beside Result or Error: an object, or nil.
	Meta json.RawMessage
}

// ToolProgress has the params of a progress notification, which are an object.
type ToolProgress struct {
	CallID string
	Params json.RawMessage
}

// OrderResult answers [OpenTab], [FocusTab] or [CloseTab].
type OrderResult struct {
	RequestID string
	TabID     TabID // 0 if the extension doesn't say
	Error     string
}

// PageRequest is a request of a page's own MCP server to the agent, such as elicitation/create. [PageAnswer] answers
// it.
type PageRequest struct {
	TabID     TabID
	RequestID string // the peer's id of the request, of 1 to 256 bytes
	Method    string
	Params    json.RawMessage // an object, or nil
}

// PageRequestCancelled says that nobody waits for the answer to a request any more.
type PageRequestCancelled struct {
	TabID     TabID
	RequestID string
}

// DebuggerReply answers [DebuggerAttach], with ID 0, or [DebuggerCommand].
type DebuggerReply struct {
	TabID   TabID
	ID      uint64
	Attempt uint64          // the attempt of the DebuggerAttach, or 0 if the extension doesn't say
	Result  json.RawMessage // an object, or nil
	Error   *AnswerError
}

// DebuggerEvent is a CDP event of a tab that is being debugged.
type DebuggerEvent struct {
	TabID   TabID
	Session string // a frame's session; "" for the tab's own
	Method  string
	Params  json.RawMessage // an object, or nil
}

// DebuggerDetached says that a tab is no longer being debugged, and why.
type DebuggerDetached struct {
	TabID  TabID
	Reason string // Chrome's target_closed or canceled_by_user, or a sentence of the extension
}

// TabID is the browser's number of a tab, from 1.
type TabID int64

// Tab is one tab.
type Tab struct {
	ID         TabID
	Title, URL string
	Doc        string // different for each main document of the tab; "" if unknown
	Active     bool   // the tab is in front of its window
	// Error says in Chrome's words (net::ERR_CONNECTION_REFUSED) why the tab shows the browser's error page. It is ""
	// if the tab shows none.
	Error string
}

// Tool is a tool as the page registered it.
type Tool struct {
	Name, Title, Description string
	InputSchema              json.RawMessage // an object, or nil
	OutputSchema             json.RawMessage // an object, or nil
	Meta                     json.RawMessage // the tool's _meta, an object, or nil
	Annotations              Annotations
	// Runtime is the kind of tool, [RuntimeForm] or [RuntimeDOM], or "" if the extension doesn't say.
	Runtime  string
	FrameID  int64 // 0 is the main frame
	FrameURL string
	// Origin is the document's origin as the browser reports it ("null" if it is opaque), or "".
	Origin string
	Doc    string // the frame's document; "" if unknown
}

// These are the values of [Tool.Runtime].
const (
	RuntimeForm = "form" // a form with toolname, in a Chrome without WebMCP
	RuntimeDOM  = "dom"  // made from the content of the page, for [Connect.Introspect]
)

// Annotations are a tool's hints. A hint that the tool doesn't give is nil.
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
