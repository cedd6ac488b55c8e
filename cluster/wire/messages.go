package wire

import "encoding/json"

// What gateways say.
type (
	// Hello opens a gateway's talk with a node, and is said anew when either has lost the other.
	Hello struct {
		// Oldest and Newest are the versions of the protocol that the gateway speaks.
		Oldest, Newest int
		// Incarnation is the gateway's: another one after each start.
		Incarnation string
		// Has is what the gateway knows of the node's pages; zero is nothing.
		Has Position
		// Talk is the name of the talk that begins; no other talk of any gateway has it. All that the
		// node says in the talk carries it, so that late words of an earlier talk are known by theirs.
		Talk string
		// Confirms says that the gateway says [Got].
		Confirms bool `json:",omitempty"`
		// Edits says that the gateway takes [Changes].Edits.
		Edits bool `json:",omitempty"`
	}
	// Got says that a [Changes], or the last part of a [Whole], has arrived. To a gateway that says so
	// a node has only a few of them on the way: what changes meanwhile goes into the next.
	Got struct{ Talk string }
	// Want asks for the [Whole] of a node's pages, because changes were missed.
	Want struct{}
	// Request asks for one thing to be done. It has one [Reply], unless the link is lost before.
	Request struct {
		ID   uint64 // of the gateway's, not used again while it is the same incarnation
		Kind RequestKind
		Body json.RawMessage // by Kind
		// Trace is the request's traceparent (W3C Trace Context), "" if it has none.
		Trace string `json:",omitempty"`
	}
	// Cancel says that nobody waits for a request's reply any more. There is a reply all the same.
	Cancel struct {
		ID  uint64
		Why string
	}
	// Answered answers a [Question].
	Answered struct {
		ID     uint64
		Result json.RawMessage `json:",omitempty"`
		Error  *Error          `json:",omitempty"`
	}
	// Ping asks for a [Pong].
	Ping struct{ Seq uint64 }
)

// What nodes say.
type (
	// Welcome answers a [Hello]. A [Whole] or [Changes] from the gateway's position follows.
	Welcome struct {
		Version     int    // of the protocol, from now on
		Incarnation string // of the node
		Build       string // of the program
		Labels      map[string]string
		Talk        string
		// Automation are the categories of browser tools that the node carries out.
		Automation []string `json:",omitempty"`
	}
	// Refused answers a [Hello] that the node can't agree to.
	Refused struct{ Why string }
	// Whole is all of a node's browsers and pages. A large one comes in parts, numbered from 0; all
	// but the last have More. They count once the last has come.
	Whole struct {
		At       Position
		Browsers []Browser // in part 0
		Pages    []Page
		Talk     string
		Part     int  `json:",omitempty"`
		More     bool `json:",omitempty"`
	}
	// Changes are what differs between two positions of one incarnation. They apply to the version
	// From and to any between it and At; a gateway that is elsewhere asks for the whole. From is
	// At.Version where nothing differs.
	Changes struct {
		From     uint64
		At       Position
		Browsers []Browser // all of them where any has changed, else nil
		Pages    []Page    // new ones, and those that have changed, in the order of the node
		Gone     []string  // pages; those that are among Pages, too, were closed and opened again
		// Edits are of pages that have changed in part, for gateways that take that.
		Edits []Edit `json:",omitempty"`
		Talk  string

		shared *shared // with the same Changes of other talks
	}
	// Reply ends a request.
	Reply struct {
		ID     uint64
		Result json.RawMessage `json:",omitempty"`
		Error  *Error          `json:",omitempty"`
	}
	// Progress are the params of a progress notification of a request.
	Progress struct {
		ID     uint64
		Params json.RawMessage
	}
	// Question is what a page asks the agent whose request it carries out.
	Question struct {
		ID     uint64 // of the node's
		Method string
		Params json.RawMessage
		// Page, Frame, Doc and Origin say whose question it is.
		Page, Frame string
		Doc         uint64
		Origin      string
		PageOrigin  string // of the page's main document
	}
	// QuestionOver says that nobody waits for the answer any more.
	QuestionOver struct{ ID uint64 }
	// Told is what a page's own MCP server tells: a log message, or resources that have changed.
	Told struct {
		Page, Frame string
		Doc         uint64
		Origin      string          `json:",omitempty"`
		Log         json.RawMessage `json:",omitempty"` // params of notifications/message
		Updated     []string        `json:",omitempty"` // URIs
	}
	// Pong answers a [Ping]. By At a gateway knows whether it lacks changes, and by Sent whether they
	// were lost or are still to be sent.
	Pong struct {
		Seq  uint64
		At   Position
		Sent uint64 // the version up to which the gateway has been told in this talk
		Talk string // "": the node is in no talk with the gateway
	}
	// Leaving says that the node takes no new work, and leaves when the calls that run have ended.
	Leaving struct{ Why string }
)

// Position is a state of a node's pages. Versions grow by one with each [Changes].
type Position struct {
	Incarnation string
	Version     uint64
}

// Error is why something was not done, in words for the agent or the user.
type Error struct {
	Message string
	// Code and Data are those of a page's own JSON-RPC error; 0 and nil otherwise.
	Code int             `json:",omitempty"`
	Data json.RawMessage `json:",omitempty"`
}

func (e *Error) Error() string { return e.Message }

func (Hello) message()        {}
func (Got) message()          {}
func (Want) message()         {}
func (Request) message()      {}
func (Cancel) message()       {}
func (Answered) message()     {}
func (Ping) message()         {}
func (Welcome) message()      {}
func (Refused) message()      {}
func (Whole) message()        {}
func (Changes) message()      {}
func (Reply) message()        {}
func (Progress) message()     {}
func (Question) message()     {}
func (QuestionOver) message() {}
func (Told) message()         {}
func (Pong) message()         {}
func (Leaving) message()      {}
