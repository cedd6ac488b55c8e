package wire

import (
	"encoding/json"

	"webmcphub/registry/offer"
)

// Browser is one of a node's browsers.
type Browser struct {
	Name   string // unique on its node
	Labels []string
	// Status is why it isn't connected, in a sentence for the agent; "" while it is.
	Status string
	// Life is another one each time that the browser begins afresh; "" where nobody counts lives.
	Life string `json:",omitempty"`
}

// Page is one open tab, as its node's registry published it. Its tools are raw, as the page
// registered them: each reader checks them for itself.
type Page struct {
	ID      string // the node's [registry.PageID]
	Browser string
	URL     string
	Title   string
	State   string `json:",omitempty"`
	Dialog  string `json:",omitempty"`
	Arrived bool   `json:",omitempty"`
	Opened  int    `json:",omitempty"` // how often it was opened: Document grows within one time
	Proxied bool   `json:",omitempty"`
	Moving  bool   `json:",omitempty"` // URL is that of the document before

	Document uint64 // the Gen of the main document
	Origin   string // as the browser says
	Frames   []Frame
	Tools    []Tool
	Offers   *Offers `json:",omitempty"`
}

// Frame is an iframe of a page, and its document.
type Frame struct {
	ID  string
	Doc uint64
	URL string
}

// RequestKind is what a [Request] asks for.
type RequestKind string

// The kinds of requests, and what their bodies and results are.
const (
	CallTool       RequestKind = "call"       // [Call]; [Called]
	AskPage        RequestKind = "ask"        // [Ask]; the result of the page's server
	SetLogLevel    RequestKind = "logLevel"   // [Level]; nothing
	OpenTab        RequestKind = "openTab"    // [Opening]; [Opened]
	ActivateTab    RequestKind = "activate"   // [OnPage]; nothing
	CloseTab       RequestKind = "closeTab"   // [OnPage]; nothing
	ConnectPage    RequestKind = "connect"    // [OnPage]; nothing
	DisconnectPage RequestKind = "disconnect" // [OnPage]; nothing
	ReadTitles     RequestKind = "titles"     // nothing; titles by page id, which gateways of earlier builds ask for
	ReadTitled     RequestKind = "titled"     // nothing; [Title] by page id
	ReachBrowser   RequestKind = "reach"      // [Reaching]; [Reached]
	Status         RequestKind = "status"     // nothing; [NodeStatus]
	Drain          RequestKind = "drain"      // nothing; nothing
	Automate       RequestKind = "automate"   // [Automation]; [Automated]
	ClientGone     RequestKind = "clientGone" // [Gone]; nothing
	Watch          RequestKind = "watch"      // [Watching]; nothing, once the tab is shown no longer
	Look           RequestKind = "look"       // [Looking]; [Shown], once there is something new
	TakeOver       RequestKind = "takeOver"   // [Looking]; nothing, once the tab is the person's no longer; a Progress when it is. Cancelled, it gives the tab back
	Drive          RequestKind = "drive"      // [Driving]; nothing
)

// The bodies and results of requests.
type (
	// Call is a call of a tool as the gateway's client saw it. If the tool differs by now, the call is refused.
	Call struct {
		Page, Frame string
		Doc         uint64
		Runtime     offer.Runtime
		Tool        string
		Digest      string // of the tool's definition, see [Digest]
		Args        json.RawMessage
		Meta        json.RawMessage `json:",omitempty"`
		Extensions  json.RawMessage `json:",omitempty"`
		Progress    bool            // progress is wanted
		Timeout     int64           // in milliseconds, from now
	}
	// Called is what came of a [Call], as in the hub of one machine.
	Called struct {
		Result   json.RawMessage // MCP's CallToolResult
		IsError  bool            `json:",omitempty"`
		Ending   string          `json:",omitempty"` // how it ended without an answer of its tool
		FrameURL string          `json:",omitempty"`
		Opened   string          `json:",omitempty"` // a page of the node
		Connects json.RawMessage `json:",omitempty"` // Result for clients that can connect pages
	}
	// Title is a title and the address that it is of.
	Title struct{ URL, Text string }
	// Ask is a request to a page's own MCP server.
	Ask struct {
		Page, Frame string
		Doc         uint64
		Method      string
		Params      json.RawMessage
		Progress    bool
	}
	// Level is a level of MCP's log messages.
	Level struct{ Level string }
	// Opening is a tab to open.
	Opening struct {
		URL, For   string
		Beside     string   // a page of the node; "" for none
		In         []string // browsers of the node
		Background bool
		// Lives are, by name, the lives that browsers of In must be in; one that is in another life isn't used.
		Lives map[string]string `json:",omitempty"`
	}
	// Opened is the id that the new tab's page will have.
	Opened struct{ Page string }
	// OnPage is the page that a request is about.
	OnPage struct{ Page string }
	// Reaching is the browser to reach; Launch has it started if need be.
	Reaching struct {
		Browser string
		Launch  bool
	}
	// Reached is what the browser says that it is.
	Reached struct{ Name, Version string }
	// NodeStatus is how a node is, for the operator.
	NodeStatus struct {
		Build    string
		Browsers []Browser
		Pages    int
		Tools    int
		Calls    int // under way
		Leaving  string
	}
)
